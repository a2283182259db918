/** Fields for the members of a JSON Schema, so that a new kind or option needs no new form. */
import type { AppError } from "../../contract/errors.ts";
import { CheckField, SelectField, TextField } from "./field.tsx";
import { problemOf } from "./form.tsx";
import { type Pairs, PairsField, pairsOf, recordOf } from "./pairs-field.tsx";

export interface Schema {
  type?: string;
  format?: string;
  description?: string;
  default?: unknown;
  enum?: string[];
  minimum?: number;
  maximum?: number;
  properties?: Record<string, Schema>;
  required?: string[];
}

/** What is typed so far: texts and rows, made into values when it is saved. */
export type Draft = Record<string, string | boolean | Pairs>;

interface SchemaFieldsProps {
  schema: Schema;
  draft: Draft;
  onChange: (draft: Draft) => void;
  error: AppError | undefined;
  /** Where the server sees these members: `provider_options`. */
  at: string;
}

export function SchemaFields({ schema, draft, onChange, error, at }: SchemaFieldsProps) {
  return Object.entries(schema.properties ?? {}).map(([name, member]) => (
    <Member
      key={name}
      name={name}
      member={member}
      required={schema.required?.includes(name) ?? false}
      value={draft[name]}
      onChange={(value) => onChange({ ...draft, [name]: value })}
      problem={problemOf(error, `${at}.${name}`)}
    />
  ));
}

export function draftOf(schema: Schema, values: Record<string, unknown>): Draft {
  const entries = Object.entries(schema.properties ?? {}).map(([name, member]) => {
    const value = values[name];
    if (member.type === "boolean") return [name, Boolean(value ?? member.default)];
    // The schema says that this member holds texts by name.
    if (member.type === "object") return [name, pairsOf(value as Record<string, string>)];
    return [name, value === undefined ? "" : String(value)];
  });
  return Object.fromEntries(entries);
}

/** An empty text means that the member is not there. */
export function valuesOf(schema: Schema, draft: Draft): Record<string, unknown> {
  const given = Object.entries(draft).filter(([, value]) => value !== "");
  return Object.fromEntries(
    given.map(([name, value]) => {
      if (typeof value === "object") return [name, recordOf(value)];
      const type = schema.properties?.[name]?.type;
      return [name, type === "integer" || type === "number" ? Number(value) : value];
    }),
  );
}

interface MemberProps {
  name: string;
  member: Schema;
  required: boolean;
  value: Draft[string] | undefined;
  onChange: (value: Draft[string]) => void;
  problem: string | undefined;
}

function Member({ name, member, required, value, onChange, problem }: MemberProps) {
  const label = words(name);
  const { description: hint } = member;
  if (member.type === "boolean") {
    const more = hint ? { hint } : {};
    return <CheckField label={label} {...more} checked={value === true} onChange={onChange} />;
  }
  if (member.type === "object") {
    const one = words(name).toLowerCase().replace(/s$/, "");
    const pairs = typeof value === "object" ? value : [];
    return <PairsField label={label} hint={hint} one={one} pairs={pairs} onChange={onChange} />;
  }
  const text = typeof value === "string" ? value : "";
  if (member.enum) {
    const options = member.enum.map((option) => [option, option] as const);
    const shown = required ? options : [["", "(default)"] as const, ...options];
    return (
      <SelectField
        {...{ label, hint: plain(hint), problem }}
        value={text}
        options={shown}
        onChange={onChange}
      />
    );
  }
  const number = member.type === "integer" || member.type === "number";
  return (
    <TextField
      label={required ? label : `${label} (optional)`}
      hint={plain(hint)}
      problem={problem}
      type={number ? "number" : member.format === "uri" ? "url" : "text"}
      min={member.minimum}
      max={member.maximum}
      required={required}
      placeholder={member.default === undefined ? undefined : String(member.default)}
      value={text}
      onChange={onChange}
    />
  );
}

const plain = (text: string | undefined): string => (text ?? "").replaceAll("`", "");

/** `base_url` reads as "Base URL". */
function words(name: string): string {
  const text = name.replaceAll("_", " ").replace(/\b(url|api|id)\b/g, (word) => word.toUpperCase());
  return text.charAt(0).toUpperCase() + text.slice(1);
}
