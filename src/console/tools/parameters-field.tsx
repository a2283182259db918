/** Form of the arguments of a tool: a row for each parameter, with JSON Schema as a second view. */
import type { AppError } from "../../contract/errors.ts";
import { findProblem } from "../ui/find-problem.ts";
import { JsonView } from "../ui/json-view.tsx";
import { tryParseJson } from "../ui/parse-json.ts";
import { describeArguments } from "./describe-shape.ts";
import { OtherField } from "./limit-fields.tsx";
import { MemberRows } from "./parameter-rows.tsx";
import { type ShapeDraft, toArgumentsDraft, toArgumentsSchema } from "./shape-draft.ts";

interface ParametersFieldProps {
  label: string;
  hint: string;
  shape: ShapeDraft;
  onChange: (shape: ShapeDraft) => void;
  error: AppError | undefined;
  /** Path of the schema in the request body. */
  at: string;
}

export function ParametersField({ label, hint, shape, onChange, error, at }: ParametersFieldProps) {
  const problem = findProblem(error, at);
  const sentence = describeArguments(shape);
  return (
    <fieldset className="field pairs parameters">
      <legend>{label}</legend>
      {hint && <p className="hint">{hint}</p>}
      {sentence && <p className="sentence">{sentence}</p>}
      <JsonView
        label="JSON Schema"
        what="the schema of an object"
        edited={shape.type === "json" ? shape.other : undefined}
        format={() => JSON.stringify(toArgumentsSchema(shape, at), null, 2)}
        onEdit={(other) => onChange({ ...shape, type: "json", other })}
        onShowFields={(text) => {
          const next = toArgumentsDraft(tryParseJson(text));
          if (next.type === "object") onChange(next);
          return next.type === "object";
        }}
        problem={problem}
      >
        <MemberRows {...{ shape, onChange, error, at }} number="" name="" />
        <OtherField {...{ shape, onChange, error, at }} />
      </JsonView>
    </fieldset>
  );
}
