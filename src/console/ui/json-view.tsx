/** Fields of a value, and its JSON as a second view. */
import { type ReactNode, useState } from "react";
import { AppError } from "../../contract/errors.ts";
import { AreaField } from "./fields/field.tsx";
import { splitProblems } from "./find-problem.ts";

interface JsonViewProps {
  /** Label of the JSON: "Condition". */
  label: string;
  hint?: string;
  /** Value that fields can show: "a condition". */
  what: string;
  /** JSON that was edited. Undefined: the fields are up to date. */
  edited: string | undefined;
  /** Returns the JSON of the fields. Throws if a field is invalid. */
  format: () => string;
  onEdit: (text: string) => void;
  /** Fills the fields from edited JSON. Returns false if they cannot show it. */
  onShowFields: (text: string) => boolean;
  problem?: string | undefined;
  /** The fields. */
  children: ReactNode;
}

export function JsonView(props: JsonViewProps) {
  const { label, hint, what, edited, format, onEdit, onShowFields, problem, children } = props;
  const [isOpen, setOpen] = useState(false);
  const [ownProblem, setOwnProblem] = useState<string>();
  // Fields may become invalid while they are hidden: another row moves to this position.
  const text = edited ?? (isOpen ? tryFormat(format).text : undefined);
  if (text === undefined) {
    const showJson = () => {
      const { problem: invalid } = tryFormat(format);
      setOpen(invalid === undefined);
      setOwnProblem(invalid);
    };
    return (
      <>
        {children}
        <SwitchButton label={label} view="JSON" onClick={showJson} problem={ownProblem} />
      </>
    );
  }
  const showFields = () => {
    const isShown = edited === undefined || onShowFields(edited);
    setOpen(!isShown);
    setOwnProblem(isShown ? undefined : `This is not ${what}, so fields cannot show it.`);
  };
  return (
    <>
      <AreaField
        label={label}
        hint={hint}
        code
        rows={Math.min(16, text.split("\n").length + 1)}
        value={text}
        onChange={(next) => {
          setOwnProblem(undefined);
          onEdit(next);
        }}
        problem={ownProblem ?? problem}
      />
      <SwitchButton label={label} view="fields" onClick={showFields} problem={undefined} />
    </>
  );
}

/** Returns the JSON, or what is wrong with a field. */
function tryFormat(format: () => string): { text?: string; problem?: string } {
  try {
    return { text: format() };
  } catch (thrown) {
    const error = AppError.from(thrown);
    return { problem: splitProblems(error)[0]?.text ?? error.message };
  }
}

interface SwitchButtonProps {
  label: string;
  view: "JSON" | "fields";
  onClick: () => void;
  problem: string | undefined;
}

function SwitchButton({ label, view, onClick, problem }: SwitchButtonProps) {
  return (
    <div className="view-switch">
      {problem && <p className="problem">{problem}</p>}
      <button type="button" className="button quiet small" onClick={onClick}>
        Show as {view}
        <span className="visually-hidden"> ({label})</span>
      </button>
    </div>
  );
}
