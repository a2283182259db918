/** Form with one save button, and the server's validation errors beside their fields. */
import { type ReactNode, useState } from "react";
import type { ActionState } from "../use-action.ts";
import { useUnsavedChanges } from "../use-unsaved-changes.ts";
import { Failure } from "./page.tsx";

interface FormProps {
  action: ActionState<[]>;
  /** Label of the save button. */
  save: string;
  children: ReactNode;
  /** Disables all fields and hides the buttons. */
  readOnly?: boolean;
  /** Disables the save button: there is nothing to save. */
  unchanged?: boolean;
  onCancel?: (() => void) | undefined;
  /** Loads the stored version again, after someone else changed it. */
  onReload?: (() => void) | undefined;
  /** Shown beside the buttons. */
  extra?: ReactNode;
  /** False: the owner of the draft warns about unsaved changes. */
  warnsUnsaved?: boolean;
}

export function Form({
  action,
  save,
  children,
  readOnly = false,
  unchanged = false,
  onCancel,
  onReload,
  extra,
  warnsUnsaved = true,
}: FormProps) {
  const [touched, setTouched] = useState(false);
  useUnsavedChanges(warnsUnsaved && !action.busy && (touched || action.error !== undefined));
  const isStale = action.error?.code === "version_mismatch";
  return (
    <form
      className="form"
      onChange={() => setTouched(true)}
      onSubmit={(event) => {
        event.preventDefault();
        setTouched(false);
        void action.run();
      }}
    >
      <fieldset
        className={readOnly ? "plain read-only" : "plain"}
        disabled={readOnly || action.busy}
      >
        {children}
      </fieldset>
      <Failure title="Not saved." error={action.error} onRetry={isStale ? onReload : undefined} />
      {!readOnly && (
        <div className="form-end">
          {extra}
          {onCancel && (
            <button type="button" className="button" onClick={onCancel}>
              Cancel
            </button>
          )}
          <button type="submit" className="button primary" disabled={action.busy || unchanged}>
            {action.busy ? "Saving…" : save}
          </button>
        </div>
      )}
    </form>
  );
}

export function Section({ title, about, children }: SectionProps) {
  return (
    <section className="card">
      <h2>{title}</h2>
      {about && <p className="about">{about}</p>}
      {children}
    </section>
  );
}

interface SectionProps {
  title: string;
  about?: ReactNode;
  children: ReactNode;
}
