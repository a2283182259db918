/** Asks for confirmation, and describes the consequences. */
import { useState } from "react";
import type { Confirmation } from "../session.ts";
import { useAction } from "../use-action.ts";
import { Dialog } from "./dialog.tsx";
import { TextField } from "./fields/field.tsx";
import { Failure } from "./page.tsx";

interface ConfirmProps {
  confirmation: Confirmation;
  onClose: () => void;
}

export function ConfirmDialog({ confirmation, onClose }: ConfirmProps) {
  const { title, body, button, mustType, run } = confirmation;
  const [text, setText] = useState("");
  const action = useAction(async () => {
    await run?.();
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
        {mustType && (
          <TextField
            label={`Type ${mustType} to confirm`}
            value={text}
            onChange={setText}
            autoComplete="off"
          />
        )}
        <Failure title="The action failed." error={action.error} />
        <div className="form-end">
          <button type="button" className="button" onClick={onClose}>
            {button ? "Cancel" : "Close"}
          </button>
          {button && (
            <button
              type="submit"
              className="button danger"
              disabled={action.busy || (mustType !== undefined && text !== mustType)}
            >
              {button}
            </button>
          )}
        </div>
      </form>
    </Dialog>
  );
}
