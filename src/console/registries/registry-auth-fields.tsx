/** Fields for the credential of an AI upstream: its type, and the members of a cloud identity. */
import type { z } from "zod";
import type { AppError } from "../../contract/errors.ts";
import { classifyMember } from "../../contract/gateway/cloud-sources.ts";
import type { listRegistryKinds, RegistryAuth } from "../../contract/gateway/registries.ts";
import { SelectField } from "../ui/fields/field.tsx";
import {
  type Schema,
  type SchemaDraft,
  toSchemaDraft,
  toValues,
} from "../ui/fields/schema-draft.ts";
import { SchemaFields } from "../ui/fields/schema-fields.tsx";
import { findProblem } from "../ui/find-problem.ts";

export type AuthTypes = z.output<typeof listRegistryKinds.reply>["items"][number]["auth_types"];

/** The API key has a field of its own. */
export interface RegistryAuthDraft {
  /** Empty: the provider accepts no credential. */
  type: string;
  members: SchemaDraft;
}

const LABELS: Readonly<Record<string, string>> = {
  api_key: "API key",
  aws: "AWS identity",
  azure: "Microsoft Entra identity",
  gcp_service_account: "Google Cloud identity",
};

interface RegistryAuthFieldsProps {
  types: AuthTypes;
  auth: RegistryAuthDraft;
  onChange: (auth: RegistryAuthDraft) => void;
  error: AppError | undefined;
}

export function RegistryAuthFields({ types, auth, onChange, error }: RegistryAuthFieldsProps) {
  return (
    <>
      {types.length > 1 && (
        <SelectField
          label="Credential"
          value={auth.type}
          options={types.map(({ type }) => [type, LABELS[type] ?? type])}
          onChange={(type) => onChange({ type, members: toMembers(types, type, {}) })}
          problem={findProblem(error, "auth.type")}
        />
      )}
      {auth.type !== "api_key" && (
        <SchemaFields
          schema={selectMembers(types, auth)}
          draft={auth.members}
          onChange={(members) => onChange({ ...auth, members })}
          error={error}
          at="auth"
        />
      )}
    </>
  );
}

export function toAuthDraft(types: AuthTypes, stored: RegistryAuth | null): RegistryAuthDraft {
  const type = stored?.type ?? types[0]?.type ?? "";
  return { type, members: toMembers(types, type, stored ?? {}) };
}

/** Returns null for an empty API key. */
export function toAuthInput(
  types: AuthTypes,
  auth: RegistryAuthDraft,
  api_key: string,
): RegistryAuth | null {
  if (auth.type === "api_key") return api_key ? { type: "api_key", api_key } : null;
  if (auth.type === "") return null;
  const members = toValues(selectMembers(types, auth), auth.members, "auth");
  // The server validates the members.
  return { type: auth.type, ...members } as RegistryAuth;
}

/** The draft starts with the default source, whose members are shown. */
function toMembers(types: AuthTypes, type: string, values: object): SchemaDraft {
  const schema = findSchema(types, type);
  const source = schema.properties?.source?.default;
  return toSchemaDraft(schema, { source, ...values });
}

/** Returns the schema without the type, and without members that have no effect for the selected source. */
function selectMembers(types: AuthTypes, { type, members }: RegistryAuthDraft): Schema {
  const classify = (name: string) => classifyMember(type, String(members.source), name);
  const all = Object.entries(findSchema(types, type).properties ?? {});
  const shown = all.filter(([name]) => name !== "type" && classify(name) !== "unused");
  const required = shown.map(([name]) => name).filter((name) => classify(name) === "required");
  return { properties: Object.fromEntries(shown), required: ["source", ...required] };
}

const findSchema = (types: AuthTypes, name: string): Schema =>
  types.find(({ type }) => type === name)?.schema ?? {};
