/** Fields that most users leave as they are, below a summary. */
import { type ReactNode, useState } from "react";

interface MoreFieldsProps {
  summary: string;
  /** Opens the fields, so that the problem is shown. */
  hasProblem: boolean;
  children: ReactNode;
}

/** Renders its fields only while it is open: a long list is slow. */
export function MoreFields({ summary, hasProblem, children }: MoreFieldsProps) {
  const [isOpen, setOpen] = useState(false);
  const shown = isOpen || hasProblem;
  return (
    <details
      className="advanced"
      open={shown}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>{summary}</summary>
      {shown && children}
    </details>
  );
}
