/** Fields for the limits and the description of a parameter. */
import { useState } from "react";
import type { AppError } from "../../contract/errors.ts";
import { AreaField, TextField } from "../ui/fields/field.tsx";
import { MoreFields } from "../ui/fields/more-fields.tsx";
import { findProblem } from "../ui/find-problem.ts";
import { type FormType, KEYWORDS, type Keyword, type ShapeDraft } from "./shape-draft.ts";

export interface ShapeProps {
  shape: ShapeDraft;
  onChange: (shape: ShapeDraft) => void;
  error: AppError | undefined;
  /** Path of the schema in the request body. */
  at: string;
}

/** Fields of the keywords, which most parameters leave empty. */
export function LimitFields({ shape, type, onChange, error, at }: ShapeProps & { type: FormType }) {
  const hasProblem = [...KEYWORDS[type], "other"].some((name) =>
    findProblem(error, `${at}.${name}`),
  );
  return (
    <MoreFields summary="Limits and description" hasProblem={hasProblem}>
      <div className="columns">
        {KEYWORDS[type].map((keyword) => (
          <KeywordField
            key={keyword}
            keyword={keyword}
            type={type}
            value={shape.texts[keyword] ?? ""}
            onChange={(text) => onChange({ ...shape, texts: { ...shape.texts, [keyword]: text } })}
            problem={findProblem(error, `${at}.${keyword}`)}
          />
        ))}
      </div>
      <OtherField {...{ shape, onChange, error, at }} />
    </MoreFields>
  );
}

const KEYWORD_LABELS: Record<Keyword, string> = {
  description: "Description",
  enum: "Allowed values",
  minLength: "Minimum length",
  maxLength: "Maximum length",
  pattern: "Pattern",
  minimum: "Minimum",
  maximum: "Maximum",
  minItems: "Minimum number of items",
  maxItems: "Maximum number of items",
};

interface KeywordFieldProps {
  keyword: Keyword;
  type: FormType;
  value: string;
  onChange: (value: string) => void;
  problem: string | undefined;
}

function KeywordField({ keyword, type, value, onChange, problem }: KeywordFieldProps) {
  const shared = { label: KEYWORD_LABELS[keyword], value, onChange, problem };
  if (keyword === "description" || keyword === "enum") {
    const hint = keyword === "enum" ? "One per line. Empty: no limit." : undefined;
    return <AreaField {...shared} hint={hint} rows={2} />;
  }
  if (keyword === "pattern") return <TextField {...shared} hint="Regular expression." />;
  const isBound = keyword === "minimum" || keyword === "maximum";
  return (
    <TextField
      {...shared}
      type="number"
      min={isBound ? undefined : 0}
      step={type === "number" ? "any" : undefined}
    />
  );
}

/** Keywords that the form has no field for, such as `format`. */
export function OtherField({ shape, onChange, error, at }: ShapeProps) {
  const [isShown] = useState(shape.other !== "");
  if (!isShown && shape.other === "") return null;
  return (
    <AreaField
      label="Other keywords (JSON)"
      code
      rows={Math.min(8, shape.other.split("\n").length + 1)}
      value={shape.other}
      onChange={(other) => onChange({ ...shape, other })}
      problem={findProblem(error, `${at}.other`)}
    />
  );
}
