/** Form fields for the properties of a JSON Schema, so that a new kind or option needs no new form. */
import type { AppError } from "../../../contract/errors.ts";
import { isMasked } from "../../../lib/json/secret-paths.ts";
import { ParametersField } from "../../tools/parameters-field.tsx";
import type { ShapeDraft } from "../../tools/shape-draft.ts";
import { findProblem, findProblemsBelow, numberEntries } from "../find-problem.ts";
import { capitalize } from "../text.ts";
import { AreaField, CheckField, SelectField, TextField } from "./field.tsx";
import { GroupField } from "./group-field.tsx";
import { MultiSelectField } from "./multi-select-field.tsx";
import { PairsField } from "./pairs-field.tsx";
import { RowsField } from "./rows-field.tsx";
import {
  type DraftValue,
  fieldShape,
  isNullable,
  numberSchema,
  type Schema,
  type SchemaDraft,
} from "./schema-draft.ts";

interface SchemaFieldsProps {
  schema: Schema;
  draft: SchemaDraft;
  onChange: (draft: SchemaDraft) => void;
  error: AppError | undefined;
  /** Path of the object in the request body: `provider_options`. */
  at: string;
  /** Options of properties that are the id of a stored resource. */
  choices?: Choices;
  /** The object is optional and still empty, so none of its fields is required. */
  isOptionalGroup?: boolean;
}

export type Choices = Readonly<Record<string, readonly (readonly [value: string, text: string])[]>>;

export function SchemaFields(props: SchemaFieldsProps) {
  const { schema, draft, onChange, error, at, choices, isOptionalGroup = false } = props;
  return Object.entries(schema.properties ?? {}).map(([name, property]) => (
    <PropertyField
      key={name}
      name={name}
      property={property}
      choices={choices?.[name]}
      required={schema.required?.includes(name) ?? false}
      isOptionalGroup={isOptionalGroup}
      value={draft[name] ?? ""}
      onChange={(value) => onChange({ ...draft, [name]: value })}
      error={error}
      at={`${at}.${name}`}
    />
  ));
}

interface PropertyFieldProps {
  name: string;
  property: Schema;
  choices: Choices[string] | undefined;
  required: boolean;
  isOptionalGroup: boolean;
  value: DraftValue;
  onChange: (value: DraftValue) => void;
  error: AppError | undefined;
  at: string;
}

function PropertyField(props: PropertyFieldProps) {
  const { name, property, choices, required, value, onChange, error, at } = props;
  const mustBeSet = required && !props.isOptionalGroup;
  const shape = fieldShape(property);
  const label = property.title ?? toLabel(name);
  const hint = toHint(property);
  if (shape === "flag") {
    return <CheckField label={label} hint={hint} checked={value === true} onChange={onChange} />;
  }
  if (typeof value === "object") {
    const shared = { label, hint, noun: toSingular(toLabel(name).toLowerCase()), onChange };
    const problem = findProblemsBelow(error, at);
    if ("rows" in value) {
      const { rows } = value;
      return <RowsField {...shared} {...{ property, rows, error, at }} />;
    }
    if ("parameters" in value) {
      const changeShape = (parameters: ShapeDraft) => onChange({ parameters });
      const { parameters } = value;
      return (
        <ParametersField {...shared} {...{ error, at }} shape={parameters} onChange={changeShape} />
      );
    }
    if ("group" in value) {
      const { group } = value;
      return <GroupField {...shared} {...{ property, group, required, error, at }} />;
    }
    if (!("selected" in value)) return <PairsField {...shared} pairs={value} problem={problem} />;
    const names = property.items?.enum ?? [];
    return (
      <MultiSelectField {...shared} names={names} selected={value.selected} problem={problem} />
    );
  }
  const text = String(value);
  const markedLabel = required ? label : `${label} (optional)`;
  if (shape === "choice" || choices) {
    const options =
      choices ?? (property.enum ?? BOOLEANS).map((option) => [option, option] as const);
    const none = required ? "Select…" : "(default)";
    const shown = required && text ? options : [["", none] as const, ...options];
    const problem = findProblem(error, at);
    return (
      <SelectField
        {...{ label, hint, problem }}
        required={mustBeSet}
        value={text}
        options={shown}
        onChange={onChange}
      />
    );
  }
  if (shape === "lines" || shape === "json" || shape === "long_text") {
    const more = { lines: "One per line.", json: "As JSON.", long_text: "" }[shape];
    return (
      <AreaField
        label={shape === "lines" ? label : markedLabel}
        hint={`${hint} ${more}`.trim()}
        problem={numberEntries(findProblemsBelow(error, at), "Entry")}
        code={shape !== "long_text"}
        rows={Math.min(12, Math.max(3, text.split("\n").length))}
        required={mustBeSet}
        value={text}
        onChange={onChange}
      />
    );
  }
  const number = numberSchema(property);
  return (
    <TextField
      label={markedLabel}
      hint={hint}
      problem={findProblem(error, at)}
      type={number ? "number" : toInputType(property, text)}
      {...(property.format === "password" && { autoComplete: "off" })}
      step={number?.type === "number" ? "any" : undefined}
      min={number?.minimum}
      max={number?.maximum}
      required={mustBeSet}
      placeholder={isNullable(property) ? "none" : toPlaceholder(property)}
      value={text}
      onChange={onChange}
    />
  );
}

/** A masked value, which keeps the stored secret, is readable. */
function toInputType({ format }: Schema, text: string): "text" | "url" | "password" {
  if (format === "password" && !isMasked(text)) return "password";
  return format === "uri" ? "url" : "text";
}

/** Returns the description in the words of a form. */
const toHint = ({ description = "" }: Schema): string =>
  description.replaceAll("`", "").replaceAll("null:", "Empty:");

const BOOLEANS = ["true", "false"];

const toPlaceholder = ({ default: fallback }: Schema): string | undefined =>
  fallback === undefined ? undefined : String(fallback);

/** Turns `base_url` into "Base URL", and `timeout_ms` into "Timeout (ms)". */
function toLabel(name: string): string {
  const text = name
    .replaceAll("_", " ")
    .replace(/ (ms|s)$/, " ($1)")
    .replace(/\b(url|api|id|ip|arn|ca)\b/g, (word) => word.toUpperCase());
  return capitalize(text);
}

const toSingular = (text: string): string => text.replace(/ies$/, "y").replace(/s$/, "");
