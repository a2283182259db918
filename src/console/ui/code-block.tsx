/** Text to take along, with a button that copies it. */
import { useId, useRef, useState } from "react";
import { Icon } from "./icon.tsx";

interface CodeBlockProps {
  label: string;
  text: string;
}

export function CodeBlock({ label, text }: CodeBlockProps) {
  const code = useRef<HTMLElement>(null);
  const [copied, setCopied] = useState(false);
  const id = useId();
  const copy = async () => {
    await copyText(text, code.current);
    setCopied(true);
  };
  return (
    <div className="code-block">
      <div className="code-head">
        <span id={id}>{label}</span>
        <button
          type="button"
          className="button small"
          aria-label={`Copy: ${label}`}
          onClick={() => void copy()}
        >
          <Icon name={copied ? "check" : "copy"} /> {copied ? "Copied" : "Copy"}
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled by keyboard too */}
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

/** The clipboard is only there on HTTPS and on this machine, if allowed; elsewhere the old way works. */
async function copyText(text: string, shown: HTMLElement | null): Promise<void> {
  const done = await navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  );
  if (done || !shown) return;
  getSelection()?.selectAllChildren(shown);
  document.execCommand("copy");
}
