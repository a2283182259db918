/** How the gateway signs in to an MCP server, while it is typed. A stored secret never comes back. */
import type { McpAuth } from "../../../contract/mcp-registries.ts";
import type { RegistryAuth } from "../../../contract/registries.ts";
import type { CatalogAuth } from "../../../contract/store-catalog.ts";

export type AuthMode = McpAuth["type"] | "none";

/** Members that the mode does not have are kept, in case it is chosen back. */
export interface AuthDraft {
  mode: AuthMode;
  header: string;
  scheme: string;
  client_id: string;
  token_url: string;
  resource: string;
  /** Separated by spaces. */
  scopes: string;
  /** The header's value, or the client's secret; empty: what is stored stays. */
  secret: string;
  /** A stored secret stays only where the mode does. */
  stored: { mode: AuthMode; masked: string } | undefined;
  /** The stored secret goes. */
  removeSecret: boolean;
}

const FRESH: AuthDraft = {
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
        ...FRESH,
        mode: "header",
        header: auth.header,
        stored: { mode: "header", masked: auth.value },
      };
    case "principal_key":
      return { ...FRESH, mode: "principal_key", header: auth.header, scheme: auth.scheme };
    case "forwarded":
      return {
        ...FRESH,
        mode: "forwarded",
        client_id: auth.client_id ?? "",
        scopes: auth.scopes.join(" "),
        stored: auth.client_secret ? { mode: "forwarded", masked: auth.client_secret } : undefined,
      };
    case "client_credentials":
      return {
        ...FRESH,
        mode: "client_credentials",
        client_id: auth.client_id,
        token_url: auth.token_url,
        resource: auth.resource ?? "",
        scopes: auth.scopes.join(" "),
        stored: { mode: "client_credentials", masked: auth.client_secret },
      };
    default:
      return FRESH;
  }
}

/** What the catalog says that a server asks for. */
export function suggestAuth(asked: CatalogAuth | undefined): AuthDraft {
  if (asked?.type === "key") {
    const { header, scheme, scope } = asked;
    if (scope === "principal") return { ...FRESH, mode: "principal_key", header, scheme };
    return { ...FRESH, mode: "header", header };
  }
  if (asked?.type !== "oauth") return FRESH;
  return {
    ...FRESH,
    mode: asked.grant_type === "client_credentials" ? "client_credentials" : "forwarded",
    token_url: asked.token_url ?? "",
    resource: asked.resource ?? "",
    scopes: asked.scopes.join(" "),
  };
}

/** The masked secret that an empty text keeps. */
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
      const kept = storedSecret(draft) && !draft.removeSecret ? "" : null;
      return { type: mode, client_id: client_id || null, client_secret: secret || kept, scopes };
    }
    case "client_credentials": {
      const resource = draft.resource || null;
      return { type: mode, token_url, client_id, client_secret: secret, scopes, resource };
    }
  }
}
