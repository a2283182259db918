/** Frame of a page, and its loading and error states. */
import { type ReactNode, useEffect, useRef } from "react";
import type { AppError } from "../../contract/errors.ts";
import { showControls } from "../../lib/text/show-controls.ts";
import { events } from "../api.ts";
import { formatTimeOfDay } from "../preferences.ts";
import type { Load } from "../use-load.ts";
import { GuideLink } from "./guide-link.tsx";
import { Icon } from "./icon.tsx";
import { ProblemList } from "./problem-list.tsx";
import { showHidden } from "./show-hidden.ts";

interface PageProps {
  title: string;
  about?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** The first page keeps the browser's focus; later pages focus their heading, for screen readers. */
let isFirstPage = true;

export function Page({ title, about, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${showControls(title)} · Portcullis`;
  }, [title]);
  useEffect(() => {
    if (!isFirstPage) {
      scrollTo(0, 0);
      heading.current?.focus({ preventScroll: true });
    }
    isFirstPage = false;
  }, []);
  return (
    <>
      <header className="page-head">
        <div>
          <h1 ref={heading} tabIndex={-1}>
            {showHidden(title)}
          </h1>
          <p className="about">
            {about} <GuideLink />
          </p>
        </div>
        {actions && <div className="actions">{actions}</div>}
      </header>
      {children}
    </>
  );
}

/** Loads everything on the screen again. */
export const RefreshButton = () => (
  <button
    type="button"
    className="button"
    onClick={() => events.dispatchEvent(new Event("changed"))}
  >
    <Icon name="reload" /> Refresh
  </button>
);

interface ReadyProps<T> {
  of: Load<T>;
  /** Starts a sentence: "The registries". */
  what: string;
  children: (value: T) => ReactNode;
}

/** Renders a loaded value, or that it is loading or failed. */
export function Ready<T>({ of, what, children }: ReadyProps<T>) {
  if (of.state === "loading") return <Loading of={of} />;
  if (of.state === "error") {
    return <Failure title={`${what} could not be loaded.`} error={of.error} onRetry={of.reload} />;
  }
  return (
    <>
      {of.late && <SlowServer onRetry={of.reload} />}
      <div aria-busy={of.busy}>
        <Failure
          title={`${what} could not be refreshed. Showing data from ${formatTimeOfDay(of.at)}.`}
          error={of.error}
          onRetry={of.reload}
        />
        {children(of.value)}
      </div>
    </>
  );
}

export function Loading({ of: { late, reload } }: { of: Load<unknown> }) {
  if (late) return <SlowServer onRetry={reload} />;
  return (
    <p className="loading" aria-busy="true">
      Loading…
    </p>
  );
}

function SlowServer({ onRetry }: { onRetry: () => void }) {
  return (
    <div className="note warn" role="status">
      <Icon name="warning" />
      <div>
        <strong>The server is slow to respond.</strong>
        <p>Wait, or try again.</p>
        <RetryButton onClick={onRetry} text="Try again" />
      </div>
    </div>
  );
}

function RetryButton({ onClick, text }: { onClick: () => void; text: string }) {
  return (
    <button type="button" className="button small" onClick={onClick}>
      <Icon name="reload" /> {text}
    </button>
  );
}

interface FailureProps {
  title: string;
  error: AppError | undefined;
  onRetry?: (() => void) | undefined;
}

/** Shows what failed, why, and the trace id of the server's log. */
export function Failure({ title, error, onRetry }: FailureProps) {
  if (!error) return null;
  const stale = error.code === "version_mismatch";
  return (
    <div className="note danger" role="alert">
      <Icon name="warning" />
      <div>
        <strong>{stale ? "Someone else changed this." : title}</strong>
        {stale ? (
          <p>A newer version was saved. Your changes were not.</p>
        ) : (
          <ProblemList error={error} />
        )}
        {error.details.trace_id && (
          <p className="trace">
            Trace ID <code>{error.details.trace_id}</code>
          </p>
        )}
        {onRetry && stale && <p>Reloading discards your changes. Copy what you need first.</p>}
        {onRetry && <RetryButton onClick={onRetry} text={stale ? "Reload" : "Try again"} />}
      </div>
    </div>
  );
}
