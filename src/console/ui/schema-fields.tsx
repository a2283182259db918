/** Fields for the members of a JSON Schema, so that a new kind or option needs no new form. */
import type { AppError } from "../../contract/errors.ts";
import { AreaField, CheckField, SelectField, TextField } from "./field.tsx";
import { findProblem, findProblemsBelow, numberEntries } from "./form.tsx";
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
  /** Where the server sees these members: `provider_options`. */
  at: string;
  /** What there is to choose from, for members that name something stored. */
  choices?: Choices;
  /** The object that these members are of need not be there, and is not yet. */
  unasked?: boolean;
}

export type Choices = Readonly<Record<string, readonly (readonly [value: string, text: string])[]>>;

export function SchemaFields(props: SchemaFieldsProps) {
  const { schema, draft, onChange, error, at, choices, unasked = false } = props;
  return Object.entries(schema.properties ?? {}).map(([name, member]) => (
    <Member
      key={name}
      name={name}
      member={member}
      choices={choices?.[name]}
      required={schema.required?.includes(name) ?? false}
      unasked={unasked}
      value={draft[name] ?? ""}
      onChange={(value) => onChange({ ...draft, [name]: value })}
      error={error}
      at={`${at}.${name}`}
    />
  ));
}

interface MemberProps {
  name: string;
  member: Schema;
  choices: Choices[string] | undefined;
  required: boolean;
  unasked: boolean;
  value: DraftValue;
  onChange: (value: DraftValue) => void;
  error: AppError | undefined;
  at: string;
}

function Member(props: MemberProps) {
  const { name, member, choices, required, unasked, value, onChange, error, at } = props;
  const shape = fieldShape(member);
  const label = words(name);
  const hint = plain(member.description);
  if (shape === "flag") {
    return <CheckField label={label} hint={hint} checked={value === true} onChange={onChange} />;
  }
  if (typeof value === "object") {
    const shared = { label, hint, one: singular(label.toLowerCase()), onChange };
    const problem = findProblemsBelow(error, at);
    if ("rows" in value) {
      const { rows } = value;
      return <RowsField {...shared} {...{ member, rows, error, at }} />;
    }
    if ("group" in value) {
      const { group } = value;
      return <GroupField {...shared} {...{ member, group, required, error, at }} />;
    }
    if (!("selected" in value)) return <PairsField {...shared} pairs={value} problem={problem} />;
    const names = member.items?.enum ?? [];
    return <MultiSelectField {...shared} names={names} chosen={value.selected} problem={problem} />;
  }
  const text = String(value);
  const named = required ? label : `${label} (optional)`;
  if (shape === "choice" || choices) {
    const options = choices ?? (member.enum ?? FLAGS).map((option) => [option, option] as const);
    const none = required ? "Choose…" : "(default)";
    const shown = required && text ? options : [["", none] as const, ...options];
    const problem = findProblem(error, at);
    return (
      <SelectField
        {...{ label, hint, problem }}
        required={required && !unasked}
        value={text}
        options={shown}
        onChange={onChange}
      />
    );
  }
  if (shape === "lines" || shape === "json" || shape === "long_text") {
    const more = { lines: "One in each line.", json: "As JSON.", long_text: "" }[shape];
    return (
      <AreaField
        label={shape === "lines" ? label : named}
        hint={`${hint} ${more}`.trim()}
        problem={numberEntries(findProblemsBelow(error, at), "Entry")}
        code={shape !== "long_text"}
        rows={Math.min(12, Math.max(3, text.split("\n").length))}
        required={required && !unasked}
        value={text}
        onChange={onChange}
      />
    );
  }
  const number = numberSchema(member);
  return (
    <TextField
      label={named}
      hint={hint}
      problem={findProblem(error, at)}
      type={number ? "number" : member.format === "uri" ? "url" : "text"}
      step={number?.type === "number" ? "any" : undefined}
      min={number?.minimum}
      max={number?.maximum}
      required={required && !unasked}
      placeholder={isNullable(member) ? "none" : placeholderOf(member)}
      value={text}
      onChange={onChange}
    />
  );
}

/** As the hints call them. */
const FLAGS = ["true", "false"];

const placeholderOf = ({ default: fallback }: Schema): string | undefined =>
  fallback === undefined ? undefined : String(fallback);

const plain = (text: string | undefined): string => (text ?? "").replaceAll("`", "");

/** `base_url` reads as "Base URL". */
function words(name: string): string {
  const text = name
    .replaceAll("_", " ")
    .replace(/\b(url|api|id|ip)\b/g, (word) => word.toUpperCase());
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const singular = (text: string): string => text.replace(/ies$/, "y").replace(/s$/, "");
