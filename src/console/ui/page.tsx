/** The frame of a page, and its states: on its way, failed, ready. Empty is said by the table. */
import { type ReactNode, useEffect, useRef } from "react";
import type { AppError } from "../../contract/errors.ts";
import type { Load } from "../use-load.ts";
import { Icon } from "./icon.tsx";

interface PageProps {
  title: string;
  about?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** The first page begins like every page; the next ones at their heading, which says what changed. */
let arrived = false;

export function Page({ title, about, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Portcullis`;
  }, [title]);
  useEffect(() => {
    if (arrived) {
      scrollTo(0, 0);
      heading.current?.focus({ preventScroll: true });
    }
    arrived = true;
  }, []);
  return (
    <>
      <header className="page-head">
        <div>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {about && <p className="about">{about}</p>}
        </div>
        {actions && <div className="actions">{actions}</div>}
      </header>
      {children}
    </>
  );
}

interface ReadyProps<T> {
  of: Load<T>;
  /** Begins a sentence: "The registries". */
  what: string;
  children: (value: T) => ReactNode;
}

export function Ready<T>({ of, what, children }: ReadyProps<T>) {
  if (of.state === "loading") return <Loading of={of} />;
  if (of.state === "error") {
    return <Failure title={`${what} could not be loaded.`} error={of.error} again={of.reload} />;
  }
  return (
    <>
      {of.late && <Late again={of.reload} />}
      <div aria-busy={of.busy}>
        <Failure
          title={`${what} could not be read again. You see what was there at ${of.at.toLocaleTimeString()}.`}
          error={of.error}
          again={of.reload}
        />
        {children(of.value)}
      </div>
    </>
  );
}

export function Loading({ of: { late, reload } }: { of: Load<unknown> }) {
  if (late) return <Late again={reload} />;
  return (
    <p className="loading" aria-busy="true">
      Loading…
    </p>
  );
}

function Late({ again }: { again: () => void }) {
  return (
    <div className="note warn" role="status">
      <Icon name="warning" />
      <div>
        <strong>The server has not answered yet.</strong>
        <p>It may be busy: wait, or ask it once more.</p>
        <Again onClick={again} text="Try again" />
      </div>
    </div>
  );
}

function Again({ onClick, text }: { onClick: () => void; text: string }) {
  return (
    <button type="button" className="button small" onClick={onClick}>
      <Icon name="reload" /> {text}
    </button>
  );
}

interface FailureProps {
  title: string;
  error: AppError | undefined;
  again?: () => void;
}

/** What failed, why, and the id under which the server's log tells more. */
export function Failure({ title, error, again }: FailureProps) {
  if (!error) return null;
  const stale = error.code === "version_mismatch";
  return (
    <div className="note danger" role="alert">
      <Icon name="warning" />
      <div>
        <strong>{stale ? "This was changed meanwhile: reload." : title}</strong>
        <p>{stale ? "Somebody saved another version; yours was not saved." : error.message}</p>
        {error.details.trace_id && (
          <p className="trace">
            Trace id <code>{error.details.trace_id}</code>
          </p>
        )}
        {again && stale && <p>To reload forgets what you typed: copy what you need.</p>}
        {again && <Again onClick={again} text={stale ? "Reload" : "Try again"} />}
      </div>
    </div>
  );
}
