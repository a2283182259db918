/** Text of an error. Parts about a field start with its label, which leads to the field. */
import { useLayoutEffect, useRef, useState } from "react";
import type { AppError } from "../../contract/errors.ts";
import { labelOfPath, splitProblems } from "./find-problem.ts";

/** A message that is shown at its field. */
interface FieldMessage {
  label: string;
  text: string;
  input: HTMLElement | null;
}

export function ProblemList({ error }: { error: AppError }) {
  const box = useRef<HTMLDivElement>(null);
  const [fields, setFields] = useState<FieldMessage[]>([]);
  const problems = splitProblems(error);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the fields show another error
  useLayoutEffect(() => setFields(readFields(box.current)), [error]);
  if (problems.length === 0) return <p>{error.message}</p>;
  return (
    <div ref={box}>
      {problems.map(({ path, text }) => {
        const field = fields.find((shown) => shown.text.includes(text));
        return (
          <p key={path}>
            {field?.input ? (
              <button type="button" className="link" onClick={() => field.input?.focus()}>
                {field.label}
              </button>
            ) : (
              <strong>{field?.label ?? labelOfPath(path)}</strong>
            )}
            : {text}
          </p>
        );
      })}
    </div>
  );
}

/** Returns the messages at the fields around an element. */
function readFields(element: Element | null): FieldMessage[] {
  const around = element?.closest("form, dialog, main");
  return [...(around?.querySelectorAll(".problem") ?? [])].flatMap((problem) => {
    const field = problem.closest(".field, fieldset");
    const label = field?.querySelector("label, legend")?.textContent;
    const input = field?.querySelector<HTMLElement>("[aria-invalid]") ?? null;
    return label ? [{ label, text: problem.textContent, input }] : [];
  });
}
