/** Shows a secret once; only its button closes it. */
import { useEffect } from "react";
import type { NewSecret } from "../session.ts";
import { CodeBlock } from "./code-block.tsx";
import { CodeSnippets } from "./code-snippets.tsx";
import { Dialog } from "./dialog.tsx";

interface SecretDialogProps {
  secret: NewSecret;
  onStored: () => void;
}

export function SecretDialog({
  secret: { title, about, secret, example },
  onStored,
}: SecretDialogProps) {
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, []);
  return (
    <Dialog title={title}>
      <p>{about} Copy it now: it is not shown again.</p>
      <CodeBlock label="Secret" text={secret} />
      <CodeSnippets label="Try it" request={example} />
      <div className="form-end">
        <button type="button" className="button primary" onClick={onStored}>
          I have stored it
        </button>
      </div>
    </Dialog>
  );
}
