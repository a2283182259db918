/** Draft of the credential of an MCP instance. The server never returns a stored secret. */

import type { RegistryAuth } from "../../../contract/gateway/registries.ts";
import type { CatalogAuth } from "../../../contract/store/catalog.ts";
import type { McpAuth } from "../../../contract/store/mcp-registries.ts";

export type AuthMode = McpAuth["type"] | "none";

/** Fields of other modes are kept, in case the mode is changed back. */
export interface AuthDraft {
  mode: AuthMode;
  header: string;
  scheme: string;
  client_id: string;
  token_url: string;
  resource: string;
  /** Separated by spaces. */
  scopes: string;
  /** Header value or client secret. Empty: the stored secret is kept. */
  secret: string;
  /** The stored secret, masked. It is kept only in the same mode. */
  stored: { mode: AuthMode; masked: string } | undefined;
  /** Deletes the stored secret. */
  removeSecret: boolean;
}

const EMPTY: AuthDraft = {
  mode: "none",
  header: "Authorization",
  scheme: "Bearer",
  client_id: "",
  token_url: "",
  resource: "",
  scopes: "",
  secret: "",
  stored: undefined,
  removeSecret: false,
};

export function toAuthDraft(auth: RegistryAuth | null): AuthDraft {
  switch (auth?.type) {
    case "header":
      return {
        ...EMPTY,
        mode: "header",
        header: auth.header,
        stored: { mode: "header", masked: auth.value },
      };
    case "principal_key":
      return { ...EMPTY, mode: "principal_key", header: auth.header, scheme: auth.scheme };
    case "forwarded":
      return {
        ...EMPTY,
        mode: "forwarded",
        client_id: auth.client_id ?? "",
        scopes: auth.scopes.join(" "),
        stored: auth.client_secret ? { mode: "forwarded", masked: auth.client_secret } : undefined,
      };
    case "client_credentials":
      return {
        ...EMPTY,
        mode: "client_credentials",
        client_id: auth.client_id,
        token_url: auth.token_url,
        resource: auth.resource ?? "",
        scopes: auth.scopes.join(" "),
        stored: { mode: "client_credentials", masked: auth.client_secret },
      };
    default:
      return EMPTY;
  }
}

/** Returns the credential that the catalog specifies for a server. */
export function suggestAuth(auth: CatalogAuth | undefined): AuthDraft {
  if (auth?.type === "key") {
    const { header, scheme, scope } = auth;
    if (scope === "principal") return { ...EMPTY, mode: "principal_key", header, scheme };
    return { ...EMPTY, mode: "header", header };
  }
  if (auth?.type !== "oauth") return EMPTY;
  return {
    ...EMPTY,
    mode: auth.grant_type === "client_credentials" ? "client_credentials" : "forwarded",
    token_url: auth.token_url ?? "",
    resource: auth.resource ?? "",
    scopes: auth.scopes.join(" "),
  };
}

/** Returns the masked secret that is kept if `secret` is empty. */
export const storedSecret = ({ mode, stored }: AuthDraft): string | undefined =>
  stored?.mode === mode ? stored.masked : undefined;

export function toAuthInput(draft: AuthDraft): McpAuth | null {
  const { mode, header, scheme, client_id, token_url, secret } = draft;
  const scopes = draft.scopes.split(/\s/).filter(Boolean);
  switch (mode) {
    case "none":
      return null;
    case "header":
      return { type: mode, header, value: secret };
    case "principal_key":
      return { type: mode, header, scheme };
    case "forwarded": {
      const unchanged = storedSecret(draft) && !draft.removeSecret ? "" : null;
      return {
        type: mode,
        client_id: client_id || null,
        client_secret: secret || unchanged,
        scopes,
      };
    }
    case "client_credentials": {
      const resource = draft.resource || null;
      return { type: mode, token_url, client_id, client_secret: secret, scopes, resource };
    }
  }
}
