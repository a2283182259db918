/** Erases everything about one person who asked for it; typed twice, as nothing brings it back. */
import { useState } from "react";
import { call } from "../api.ts";
import { activity } from "../endpoints.ts";
import { useSession } from "../session.ts";
import { Dialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/field.tsx";
import { findProblem } from "../ui/form.tsx";
import { Failure } from "../ui/page.tsx";
import { useAction } from "../use-load.ts";

interface EraseConsumerDialogProps {
  /** The consumer that the list is narrowed to, if any. */
  given: string;
  onClose: () => void;
}

export function EraseConsumerDialog({ given, onClose }: EraseConsumerDialogProps) {
  const { announce } = useSession();
  const [consumer_id, setConsumer] = useState(given);
  const [again, setAgain] = useState("");
  const erase = useAction(async () => {
    const { erased } = await call(activity.erase, { params: {}, body: { consumer_id } });
    onClose();
    announce(`Erased of ${consumer_id}: ${erased.toLocaleString()}.`);
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
          Every evaluation with this <code>consumer_id</code> goes, with its texts and approvals, at
          all times and of all collectors. This cannot be undone.
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
          label="The same again, to confirm"
          value={again}
          onChange={setAgain}
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
            disabled={erase.busy || consumer_id === "" || again !== consumer_id}
          >
            Erase
          </button>
        </div>
      </form>
    </Dialog>
  );
}
