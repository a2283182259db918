/** Erases all evaluations of one consumer_id, which must be typed twice. */
import { useState } from "react";
import { call } from "../api.ts";
import { activity } from "../endpoints.ts";
import { useSession } from "../session.ts";
import { Dialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/fields/field.tsx";
import { findProblem } from "../ui/find-problem.ts";
import { Failure } from "../ui/page.tsx";
import { useAction } from "../use-action.ts";

interface EraseConsumerDialogProps {
  /** consumer_id that the list is filtered by, or empty. */
  consumerId: string;
  onClose: () => void;
}

export function EraseConsumerDialog({ consumerId, onClose }: EraseConsumerDialogProps) {
  const { announce } = useSession();
  const [consumer_id, setConsumer] = useState(consumerId);
  const [repeated, setRepeated] = useState("");
  const erase = useAction(async () => {
    const { erased } = await call(activity.erase, { params: {}, body: { consumer_id } });
    onClose();
    announce(`Erased ${erased.toLocaleString()} evaluations of ${consumer_id}.`);
  });
  return (
    <Dialog title="Erase a consumer" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void erase.run();
        }}
      >
        <p className="prose">
          Deletes every evaluation with this <code>consumer_id</code>, with its content and
          approvals, in all collectors. This cannot be undone.
        </p>
        <TextField
          label="consumer_id"
          value={consumer_id}
          onChange={setConsumer}
          autoComplete="off"
          required
          problem={findProblem(erase.error, "consumer_id")}
        />
        <TextField
          label="Type it again to confirm"
          value={repeated}
          onChange={setRepeated}
          autoComplete="off"
        />
        <Failure title="Nothing was erased." error={erase.error} />
        <div className="form-end">
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button
            type="submit"
            className="button danger"
            disabled={erase.busy || consumer_id === "" || repeated !== consumer_id}
          >
            Erase
          </button>
        </div>
      </form>
    </Dialog>
  );
}
