/** Decides several items of the inbox with one note. Each is decided separately, and failures are listed. */
import { useState } from "react";
import { AppError } from "../../contract/errors.ts";
import type { InboxItem } from "../../contract/inbox.ts";
import { events } from "../api.ts";
import { useSession } from "../session.ts";
import { TextField } from "../ui/fields/field.tsx";
import { useAction } from "../use-action.ts";
import { decideItem } from "./decide-item.ts";
import { titleOf } from "./inbox-list.tsx";

interface BulkDecisionProps {
  items: readonly InboxItem[];
  onChecked: (checked: ReadonlySet<string>) => void;
}

interface ItemFailure {
  item: InboxItem;
  message: string;
}

export function BulkDecision({ items, onChecked }: BulkDecisionProps) {
  const { announce } = useSession();
  const [note, setNote] = useState("");
  const [done, setDone] = useState(0);
  const [failures, setFailures] = useState<readonly ItemFailure[]>([]);
  const decide = useAction(async (approve: boolean) => {
    const failed: ItemFailure[] = [];
    for (const [index, item] of items.entries()) {
      setDone(index);
      try {
        await decideItem(item, { approve, note }, { silent: true });
      } catch (thrown) {
        const { message } = AppError.from(thrown);
        failed.push({ item, message: message.replace(/^instance_id: /, "Instance: ") });
      }
    }
    setFailures(failed);
    onChecked(new Set(failed.map(({ item }) => item.id)));
    events.dispatchEvent(new Event("changed"));
    const count = items.length - failed.length;
    announce(`${count} ${approve ? "approved" : "rejected"}, ${failed.length} failed.`);
  });
  const needsNote = note.trim() === "" && items.some(({ kind }) => kind === "store_request");
  return (
    <section className="card bulk" aria-label="Selected items">
      <h2>{items.length} selected</h2>
      <TextField
        label="Note (optional)"
        {...(needsNote && { hint: "Required to reject Store requests." })}
        value={note}
        onChange={setNote}
        autoComplete="off"
      />
      <div className="row">
        <button
          type="button"
          className="button primary"
          disabled={decide.busy}
          onClick={() => void decide.run(true)}
        >
          Approve {items.length}
        </button>
        <button
          type="button"
          className="button danger"
          disabled={decide.busy || needsNote}
          onClick={() => void decide.run(false)}
        >
          Reject {items.length}
        </button>
        <button type="button" className="button" onClick={() => onChecked(new Set())}>
          Clear
        </button>
      </div>
      <p role="status">{decide.busy && `${done} of ${items.length} decided.`}</p>
      {failures.length > 0 && (
        <ul className="entries" role="alert">
          {failures.map(({ item, message }) => (
            <li key={item.id}>
              <strong>{titleOf(item)}</strong>: {message}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
