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
  const rest = fields.map(({ text }) => text);
  const problems = splitProblems(error).map((problem) => {
    // Several fields may have the same message. They are in the order of the errors.
    const at = rest.findIndex((shown) => shown.includes(problem.text));
    if (at >= 0) rest[at] = rest[at]?.replace(problem.text, "") ?? "";
    return { ...problem, field: fields[at] };
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the fields show another error
  useLayoutEffect(() => setFields(readFields(box.current)), [error]);
  if (problems.length === 0) return <p>{error.message}</p>;
  return (
    <div ref={box}>
      {problems.map(({ path, text, field }) => (
        <p key={`${path} ${text}`}>
          {field?.input ? (
            <button type="button" className="link" onClick={() => field.input?.focus()}>
              {field.label}
            </button>
          ) : (
            <strong>{field?.label ?? labelOfPath(path)}</strong>
          )}
          : {text}
        </p>
      ))}
    </div>
  );
}

/** Returns the messages at the fields around an element. */
function readFields(element: Element | null): FieldMessage[] {
  const around = element?.closest("form, dialog, main");
  return [...(around?.querySelectorAll(".problem") ?? [])].flatMap((problem) => {
    const field = problem.closest(".field, fieldset");
    const label = field?.querySelector("label, legend")?.textContent;
    const group = field?.parentElement?.closest("fieldset")?.querySelector(":scope > legend");
    const input = field?.querySelector<HTMLElement>("[aria-invalid]") ?? null;
    if (!label) return [];
    const name = group ? `${group.textContent}, ${label}` : label;
    return [{ label: name, text: problem.textContent, input }];
  });
}
