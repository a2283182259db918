/** Identifies the caller of the MCP endpoint: a principal by token, or a consumer by key. */
import { AppError } from "../../contract/errors.ts";
import { issuerTable } from "../../db/tables/issuers.ts";
import type { Deps } from "../../deps.ts";
import { findConsumer } from "../../snapshot/find-consumer.ts";
import type { GuardView } from "../../snapshot/snapshot.ts";
import type { createPrincipalReader, Principal } from "../principals/identify-principal.ts";

export type McpCaller = {
  /** null: the calls are not evaluated. */
  guard: GuardView | null;
} & (
  | ({ kind: "principal" } & Principal)
  | { kind: "consumer"; gateway_id: string; consumer_id: string; key_id: string; name: string }
);

export const PRINCIPAL_PATH = "/me/mcp";

/** RFC 9728 section 3: the well-known prefix, then the path of the resource. */
export const METADATA_PATH = `/.well-known/oauth-protected-resource${PRINCIPAL_PATH}` as const;

export interface CallerQuery {
  /** Consumer in the path; undefined at the path of principals. */
  slug: string | undefined;
  origin: string;
  /** `changeState` of the database. */
  state: string;
  readPrincipal: ReturnType<typeof createPrincipalReader>;
}

export async function identifyMcpCaller(
  deps: Deps,
  { headers }: Request,
  query: CallerQuery,
): Promise<McpCaller> {
  const { slug } = query;
  if (slug === undefined) return await identifyByToken(deps, headers, query);
  const credentials = {
    slug,
    headers,
    at: deps.now(),
    needs_gateway: deps.settings.PRIVATE_DATA_PLANE,
    keyring: deps.keyring,
  };
  const { consumer, key } = findConsumer(deps.snapshot(), credentials);
  deps.markUsed("consumer_keys", key.id);
  const { id, name, gateway, guard } = consumer;
  return { kind: "consumer", gateway_id: gateway.id, consumer_id: id, key_id: key.id, name, guard };
}

async function identifyByToken(
  deps: Deps,
  headers: Headers,
  { origin, state, readPrincipal }: CallerQuery,
): Promise<McpCaller> {
  const [, bearer] = /^Bearer +(\S+)$/i.exec(headers.get("authorization") ?? "") ?? [];
  try {
    const principal = await readPrincipal(state, bearer);
    const guard = deps.snapshot().gateways.get(principal.gateway_id)?.guard ?? null;
    return { kind: "principal", ...principal, guard };
  } catch (thrown) {
    if (!(thrown instanceof AppError) || thrown.code !== "unauthorized") throw thrown;
    // Without an issuer, the metadata would send the client to a login whose token is rejected.
    if ((await listLogins(deps)).length === 0) throw thrown;
    const details = { resource_metadata: `${origin}${METADATA_PATH}` };
    throw new AppError("unauthorized", thrown.message, { details });
  }
}

/** Returns the issuers that clients of all gateways may be sent to, oldest first (decision 0006). */
export async function listLogins(deps: Deps): Promise<string[]> {
  const rows = await issuerTable.all(deps.db, { enabled: true, listed: true });
  return [...new Set(rows.map(({ issuer }) => issuer))];
}
