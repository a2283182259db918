/** Code with a Copy button. */
import { type ReactNode, useId, useRef, useState } from "react";
import { Icon } from "./icon.tsx";

interface CodeBlockProps {
  label: string;
  text: string;
  /** Shown beside the label. */
  children?: ReactNode;
}

export function CodeBlock({ label, text, children }: CodeBlockProps) {
  const code = useRef<HTMLElement>(null);
  const [copiedText, setCopiedText] = useState<string>();
  const copied = copiedText === text;
  const id = useId();
  const copy = async () => {
    await copyText(text, code.current);
    setCopiedText(text);
  };
  return (
    <div className="code-block">
      <div className="code-head">
        <span id={id}>{label}</span>
        {children}
        <button
          type="button"
          className="button small"
          aria-label={`Copy: ${label}`}
          onClick={() => void copy()}
        >
          <Icon name={copied ? "check" : "copy"} /> {copied ? "Copied" : "Copy"}
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users can scroll long lines */}
      <section aria-labelledby={id} tabIndex={0}>
        <pre>
          <code ref={code}>{text}</code>
        </pre>
      </section>
      <span className="visually-hidden" role="status">
        {copied ? "Copied" : ""}
      </span>
    </div>
  );
}

/** Falls back to execCommand: the clipboard API needs HTTPS or localhost, and permission. */
async function copyText(text: string, element: HTMLElement | null): Promise<void> {
  const done = await navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  );
  if (done || !element) return;
  getSelection()?.selectAllChildren(element);
  document.execCommand("copy");
}
