/** Shows a secret this one time; only "I have stored it" ends it. */
import { useEffect } from "react";
import type { NewSecret } from "../session.ts";
import { CodeBlock } from "./code-block.tsx";
import { Dialog } from "./dialog.tsx";

interface SecretDialogProps {
  revealed: NewSecret;
  onStored: () => void;
}

export function SecretDialog({
  revealed: { title, about, secret, curl },
  onStored,
}: SecretDialogProps) {
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, []);
  return (
    <Dialog title={title}>
      <p>{about} It is shown this once and kept nowhere: store it now.</p>
      <CodeBlock label="Secret" text={secret} />
      <CodeBlock label="Try it" text={curl} />
      <div className="form-end">
        <button type="button" className="button primary" onClick={onStored}>
          I have stored it
        </button>
      </div>
    </Dialog>
  );
}
