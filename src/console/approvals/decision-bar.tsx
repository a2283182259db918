/** Note and buttons that decide the open item, always visible at the bottom. */
import { type ReactNode, useRef, useState } from "react";
import type { AppError } from "../../contract/errors.ts";
import type { InboxItem } from "../../contract/inbox.ts";
import { useSession } from "../session.ts";
import { TextField } from "../ui/fields/field.tsx";
import { findProblem } from "../ui/find-problem.ts";
import { Failure } from "../ui/page.tsx";
import { useAction } from "../use-action.ts";
import { type Decision, decideItem, describeItem } from "./decide-item.ts";
import { useShortcuts } from "./use-shortcuts.ts";

interface DecisionBarProps {
  item: InboxItem;
  /** Read again after a conflict, when someone else decided first. */
  isPending: boolean;
  hint: string;
  /** Fields of Store requests. */
  fields?: (error: AppError | undefined) => ReactNode;
  more?: Pick<Decision, "instance_id" | "expires_at">;
  /** Why the item cannot be approved. */
  blocked?: ReactNode;
  onDecided: () => void;
}

export function DecisionBar(props: DecisionBarProps) {
  const { item, isPending, hint, fields, more, blocked, onDecided } = props;
  const { announce, may } = useSession();
  const [note, setNote] = useState("");
  const bar = useRef<HTMLDivElement>(null);
  const decide = useAction(async (approve: boolean) => {
    await decideItem(item, { approve, note, ...more });
    onDecided();
    announce(`${describeItem(item)} was ${approve ? "approved" : "rejected"}.`);
  });
  const canDecide = isPending && !item.own && may("approve") && !decide.busy;
  const needsNote = item.kind === "store_request" && note.trim() === "";
  useShortcuts({
    a: canDecide && !blocked ? () => void decide.run(true) : undefined,
    r: canDecide
      ? () => (needsNote ? bar.current?.querySelector("input")?.focus() : void decide.run(false))
      : undefined,
  });
  const failure = <Failure title="The decision was not saved." error={decide.error} />;
  // If someone else decided first, only the error is shown.
  if (!isPending) return failure;
  if (!may("approve")) {
    return <p className="hint">Decisions require the role approver, admin or owner.</p>;
  }
  if (item.own) {
    const own =
      item.kind === "evaluation"
        ? "You sent this request, are its consumer, or created its key."
        : "This is your own request.";
    return <p className="note">{own} Another person must decide it.</p>;
  }
  return (
    // Not a form: Enter in the note must not decide.
    <div className="decide" ref={bar}>
      {blocked}
      {fields?.(decide.error)}
      <TextField
        label={item.kind === "store_request" ? "Note" : "Note (optional)"}
        hint={hint}
        value={note}
        onChange={setNote}
        autoComplete="off"
        problem={findProblem(decide.error, "note")}
      />
      {failure}
      <div className="form-end">
        <button
          type="button"
          className="button danger"
          disabled={decide.busy}
          aria-keyshortcuts="r"
          onClick={() => void decide.run(false)}
        >
          Reject
        </button>
        <button
          type="button"
          className="button primary"
          disabled={decide.busy || blocked !== undefined}
          aria-keyshortcuts="a"
          onClick={() => void decide.run(true)}
        >
          Approve
        </button>
      </div>
    </div>
  );
}
