/** Fields for the credential of an MCP instance. */
import type { AppError } from "../../../contract/errors.ts";
import { CheckField, SelectField, TextField } from "../../ui/fields/field.tsx";
import { findProblem, findProblemsBelow } from "../../ui/find-problem.ts";
import { type AuthDraft, type AuthMode, storedSecret } from "./instance-auth-draft.ts";

const MODES: Record<AuthMode, string> = {
  none: "None",
  header: "Shared header",
  principal_key: "API key of each person",
  forwarded: "OAuth account of each person",
  client_credentials: "OAuth client of the gateway",
};

type AuthField = "header" | "scheme" | "token_url" | "client_id" | "secret" | "scopes" | "resource";

const FIELDS: Record<AuthMode, readonly AuthField[]> = {
  none: [],
  header: ["header", "secret"],
  principal_key: ["header", "scheme"],
  forwarded: ["client_id", "secret", "scopes"],
  client_credentials: ["token_url", "client_id", "secret", "scopes", "resource"],
};

interface InstanceAuthFieldsProps {
  auth: AuthDraft;
  onChange: (auth: AuthDraft) => void;
  error: AppError | undefined;
}

export function InstanceAuthFields({ auth, onChange, error }: InstanceAuthFieldsProps) {
  const { mode } = auth;
  const change = (changes: Partial<AuthDraft>) => onChange({ ...auth, ...changes });
  const has = (name: AuthField) => FIELDS[mode].includes(name);
  const field = (name: Exclude<AuthField, "secret">) => ({
    value: auth[name],
    onChange: (text: string) => change({ [name]: text }),
    problem: findProblemsBelow(error, `auth.${name}`),
  });
  const canRegister = mode === "forwarded";
  return (
    <>
      <SelectField
        label="Credential"
        value={mode}
        options={Object.entries(MODES)}
        // The options are the modes.
        onChange={(value) => change({ mode: value as AuthMode, secret: "", removeSecret: false })}
        problem={findProblem(error, "auth") ?? findProblem(error, "auth.type")}
      />
      {has("header") && <TextField label="Header" required {...field("header")} />}
      {has("scheme") && (
        <TextField
          label="Prefix of the key (optional)"
          hint="Empty: only the key is sent."
          {...field("scheme")}
        />
      )}
      {has("token_url") && (
        <TextField label="Token URL" type="url" required {...field("token_url")} />
      )}
      {has("client_id") && (
        <TextField
          label={canRegister ? "Client ID (optional)" : "Client ID"}
          required={!canRegister}
          hint={canRegister ? "Empty: the gateway registers a client automatically." : ""}
          {...field("client_id")}
        />
      )}
      {has("secret") && <Secret auth={auth} onChange={change} error={error} />}
      {has("scopes") && (
        <TextField label="Scopes (optional)" hint="Separated by spaces." {...field("scopes")} />
      )}
      {has("resource") && (
        <TextField
          label="Resource (optional)"
          hint="URL of the resource that the token is for (RFC 8707)."
          type="url"
          {...field("resource")}
        />
      )}
    </>
  );
}

interface SecretProps {
  auth: AuthDraft;
  onChange: (changes: Partial<AuthDraft>) => void;
  error: AppError | undefined;
}

function Secret({ auth, onChange, error }: SecretProps) {
  const { mode, secret, removeSecret } = auth;
  const stored = storedSecret(auth);
  const optional = mode === "forwarded";
  const label = mode === "header" ? "Value" : "Client secret";
  return (
    <>
      <TextField
        label={optional ? `${label} (optional)` : label}
        type="password"
        autoComplete="off"
        required={!optional && !stored}
        disabled={removeSecret}
        value={secret}
        onChange={(text) => onChange({ secret: text })}
        placeholder={stored ? `Leave empty to keep ${stored}` : undefined}
        hint={
          mode === "header"
            ? "Full value, such as Bearer TOKEN. Stored encrypted and never shown again."
            : "Stored encrypted and never shown again."
        }
        problem={findProblem(error, mode === "header" ? "auth.value" : "auth.client_secret")}
      />
      {optional && stored && (
        <CheckField
          label="Remove the stored secret"
          checked={removeSecret}
          onChange={(on) => onChange({ removeSecret: on, secret: "" })}
        />
      )}
    </>
  );
}
