/** Asks before something goes, and says what goes. */
import { useState } from "react";
import type { Confirmation } from "../session.ts";
import { useAction } from "../use-load.ts";
import { Dialog } from "./dialog.tsx";
import { TextField } from "./field.tsx";
import { Failure } from "./page.tsx";

interface ConfirmProps {
  question: Confirmation;
  onClose: () => void;
}

export function ConfirmDialog({ question, onClose }: ConfirmProps) {
  const { title, body, button: act, mustType: typed, run } = question;
  const [text, setText] = useState("");
  const action = useAction(async () => {
    await run();
    onClose();
  });
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void action.run();
        }}
      >
        <div className="prose">{body}</div>
        {typed && (
          <TextField
            label={`Type ${typed} to confirm`}
            value={text}
            onChange={setText}
            autoComplete="off"
          />
        )}
        <Failure title="This did not happen." error={action.error} />
        <div className="form-end">
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button
            type="submit"
            className="button danger"
            disabled={action.busy || (typed !== undefined && text !== typed)}
          >
            {act}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
