/** The oauth_clients table: the client the gateway is to the authorization server of an instance. */
import { table } from "./table.ts";

export interface OauthClientRow {
  id: string;
  instance_id: string;
  issuer: string;
  /** Authorization server metadata (RFC 8414). */
  metadata: Record<string, unknown>;
  client_id: string;
  /** Sealed; null: a public client. */
  client_secret: string | null;
  redirect_uri: string;
  /** RFC 8707, as its protected-resource metadata says. */
  resource: string | null;
  created_at: string;
}

export const oauthClientTable = table<OauthClientRow>({
  name: "oauth_clients",
  columns: {
    id: "text",
    instance_id: "text",
    issuer: "text",
    metadata: "json",
    client_id: "text",
    client_secret: "text",
    redirect_uri: "text",
    resource: "text",
    created_at: "text",
  },
  search: [],
  sort: ["created_at"],
});
