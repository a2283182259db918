/** A form that saves: one button, busy while it runs, and what the server refused beside the fields. */
import { type ReactNode, useState } from "react";
import type { AppError } from "../../contract/errors.ts";
import type { Action } from "../use-load.ts";
import { useUnsavedChanges } from "../use-unsaved-changes.ts";
import { Failure } from "./page.tsx";

interface FormProps {
  action: Action<[]>;
  /** The word on the button. */
  save: string;
  children: ReactNode;
  /** Nothing can be changed: the fields are there to read. */
  locked?: boolean;
  onCancel?: () => void;
  /** Reads the stored version again, after somebody else changed it. */
  onStale?: () => void;
  more?: ReactNode;
  /** What is typed outlives the form: who keeps it asks before it is lost. */
  kept?: boolean;
}

export function Form({
  action,
  save,
  children,
  locked = false,
  onCancel,
  onStale,
  more,
  kept = false,
}: FormProps) {
  const [touched, setTouched] = useState(false);
  useUnsavedChanges(!kept && !action.busy && (touched || action.error !== undefined));
  const stale = action.error?.code === "version_mismatch" ? onStale : undefined;
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
      <fieldset className={locked ? "plain locked" : "plain"} disabled={locked || action.busy}>
        {children}
      </fieldset>
      <Failure
        title="This was not saved."
        error={action.error}
        {...(stale ? { again: stale } : {})}
      />
      {!locked && (
        <div className="form-end">
          {more}
          {onCancel && (
            <button type="button" className="button" onClick={onCancel}>
              Cancel
            </button>
          )}
          <button type="submit" className="button primary" disabled={action.busy}>
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

/** The server names what it refuses: `slug: is reserved; name: is there twice`. */
export function findProblem(error: AppError | undefined, member: string): string | undefined {
  const line = splitMessage(error).find((text) => text.startsWith(`${member}: `));
  return line?.slice(member.length + 2);
}

/** The same for a member that has no fields inside: also `[3].name: is too long`. */
export function findProblemsBelow(error: AppError | undefined, member: string): string | undefined {
  const lines = splitMessage(error).filter(
    (text) => text.startsWith(member) && ":.[".includes(text.charAt(member.length)),
  );
  const rest = lines.map((text) => text.slice(member.length).replace(/^[:.] ?/, ""));
  return lines.length > 0 ? rest.join("; ") : undefined;
}

/** As people count, not from 0: `[2]: is empty` and `all[2].value: is empty` are about the third. */
export const numberEntries = (problem: string | undefined, one: string): string | undefined =>
  problem?.replace(
    /(^|; )(?:all|any)?\[(\d+)\](?:: |\.)/g,
    (_, before: string, index: string) => `${before}${one} ${Number(index) + 1}: `,
  );

const splitMessage = (error: AppError | undefined): string[] =>
  error?.code === "validation_failed" || error?.code === "already_exists"
    ? error.message.split(/; (?=[\w.[\]]+: )/)
    : [];
