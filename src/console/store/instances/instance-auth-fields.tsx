/** Asks how the gateway signs in to an MCP server; what is asked depends on the way. */
import type { AppError } from "../../../contract/errors.ts";
import { CheckField, SelectField, TextField } from "../../ui/field.tsx";
import { findProblem, findProblemsBelow } from "../../ui/form.tsx";
import { type AuthDraft, type AuthMode, storedSecret } from "./instance-auth-draft.ts";

const MODES: Record<AuthMode, string> = {
  none: "No credential",
  header: "One header, shared by everybody",
  principal_key: "Each person brings a key",
  forwarded: "Each person connects an account (OAuth)",
  client_credentials: "The gateway has an account (OAuth client)",
};

type Asked = "header" | "scheme" | "token_url" | "client_id" | "secret" | "scopes" | "resource";

const ASKED: Record<AuthMode, readonly Asked[]> = {
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
  const asks = (member: Asked) => ASKED[mode].includes(member);
  const field = (member: Exclude<Asked, "secret">) => ({
    value: auth[member],
    onChange: (text: string) => change({ [member]: text }),
    problem: findProblemsBelow(error, `auth.${member}`),
  });
  const registers = mode === "forwarded";
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
      {asks("header") && <TextField label="Header" required {...field("header")} />}
      {asks("scheme") && (
        <TextField
          label="Word before the key (optional)"
          hint="Empty: the key alone."
          {...field("scheme")}
        />
      )}
      {asks("token_url") && (
        <TextField label="Token URL" type="url" required {...field("token_url")} />
      )}
      {asks("client_id") && (
        <TextField
          label={registers ? "Client id (optional)" : "Client id"}
          required={!registers}
          hint={registers ? "Empty: the gateway registers itself as a client." : ""}
          {...field("client_id")}
        />
      )}
      {asks("secret") && <Secret auth={auth} onChange={change} error={error} />}
      {asks("scopes") && (
        <TextField label="Scopes (optional)" hint="Separated by spaces." {...field("scopes")} />
      )}
      {asks("resource") && (
        <TextField
          label="Resource (optional)"
          hint="What the token is for, as an address (RFC 8707)."
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
  const { mode, secret, removeSecret: secretless } = auth;
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
        disabled={secretless}
        value={secret}
        onChange={(text) => onChange({ secret: text })}
        placeholder={stored ? `Leave empty to keep ${stored}` : undefined}
        hint={
          mode === "header"
            ? "The whole value, such as Bearer … Stored encrypted and never shown again."
            : "Stored encrypted and never shown again."
        }
        problem={findProblem(error, mode === "header" ? "auth.value" : "auth.client_secret")}
      />
      {optional && stored && (
        <CheckField
          label="Remove the stored secret"
          checked={secretless}
          onChange={(on) => onChange({ removeSecret: on, secret: "" })}
        />
      )}
    </>
  );
}
