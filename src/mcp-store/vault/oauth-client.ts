/** Which client is the gateway to the authorization server of an instance? Discovered, then registered once. */
import {
  type AuthorizationServerMetadata,
  checkResourceAllowed,
  discoverOAuthServerInfo,
  extractWWWAuthenticateParams,
  type OAuthClientInformation,
  registerClient,
} from "@modelcontextprotocol/client";
import { AppError } from "../../contract/errors.ts";
import { findCatalogEntry } from "../../db/catalog-entries.ts";
import { keepFirstClient, type OauthClientRow, oauthClientTable } from "../../db/oauth-clients.ts";
import type { McpRegistryRow } from "../../db/registries.ts";
import { sealedIn } from "../../db/sealed-texts.ts";
import type { Deps } from "../../deps.ts";
import { type SealContext, seal, unseal } from "../../lib/seal.ts";
import { checkUrl } from "../../net/check-url.ts";
import { oauthFetch } from "./oauth-fetch.ts";

/** An instance whose principals sign in themselves. */
export type ForwardedInstance = McpRegistryRow & {
  auth: Extract<McpRegistryRow["auth"], { type: "forwarded" }>;
};

export const isForwarded = (instance: McpRegistryRow): instance is ForwardedInstance =>
  instance.auth?.type === "forwarded";

export interface OauthClient {
  row: OauthClientRow;
  /** Empty: what the authorization server gives by default. */
  scopes: readonly string[];
}

/** `url` is where the principal's calls go, `redirect_uri` where the browser comes back to. */
export async function clientFor(
  deps: Deps,
  instance: ForwardedInstance,
  { url, redirect_uri }: { url: string; redirect_uri: string },
): Promise<OauthClient> {
  const { issuer, metadata, resource, scopes } = await discover(deps, instance, url);
  // The browser of a person is sent there, and a code with it.
  checkUrl(metadata.authorization_endpoint, "authorization_endpoint", instance.allow_private);
  checkUrl(metadata.token_endpoint, "token_endpoint", instance.allow_private);
  const where = { instance_id: instance.id };
  const known = await oauthClientTable.find(deps.db, where);
  if (known?.issuer === issuer && known.redirect_uri === redirect_uri) {
    const current = { metadata: { ...metadata }, resource };
    await oauthClientTable.update(deps.db, known.id, current);
    return { row: { ...known, ...current }, scopes };
  }
  const id = known?.id ?? deps.newId();
  const { client_id, client_secret } = await register(deps, instance, { metadata, redirect_uri });
  const row: OauthClientRow = {
    id,
    instance_id: instance.id,
    issuer,
    metadata: { ...metadata },
    client_id,
    client_secret:
      client_secret === undefined ? null : seal(deps.keyring(), registered(id), client_secret),
    redirect_uri,
    resource,
    created_at: deps.now().toISOString(),
  };
  if (known) await oauthClientTable.update(deps.db, known.id, row);
  else await keepFirstClient(deps.db, row);
  return { row: (await oauthClientTable.find(deps.db, where)) ?? row, scopes };
}

/** An administrator's own client counts before a registered one, and at once. */
export function clientInformation(
  deps: Deps,
  { id, auth }: ForwardedInstance,
  row: OauthClientRow,
): OAuthClientInformation {
  const [context, sealed] =
    auth.client_id === null
      ? [registered(row.id), row.client_secret]
      : [sealedIn("registries.auth", id), auth.client_secret];
  const client_secret = sealed === null ? undefined : unseal(deps.keyring(), context, sealed);
  return {
    client_id: auth.client_id ?? row.client_id,
    ...(client_secret === undefined ? {} : { client_secret }),
  };
}

const registered = (id: string): SealContext => sealedIn("oauth_clients.client_secret", id);

/** A row holds what `discover` found, which the SDK has checked. */
export const metadataOf = (row: OauthClientRow): AuthorizationServerMetadata =>
  row.metadata as AuthorizationServerMetadata;

interface Discovered {
  issuer: string;
  metadata: AuthorizationServerMetadata;
  resource: string | null;
  scopes: readonly string[];
}

async function discover(deps: Deps, instance: ForwardedInstance, url: string): Promise<Discovered> {
  const { auth, allow_private } = instance;
  const { code } = instance.provider_options;
  const fetchFn = oauthFetch(deps, allow_private);
  const entry =
    code === null ? undefined : await findCatalogEntry(deps.db, instance.gateway_id, code);
  const known = entry?.auth.type === "oauth" ? entry.auth : undefined;
  if (known?.authorize_url && known.token_url) {
    return {
      issuer: new URL(known.authorize_url).origin,
      metadata: {
        issuer: new URL(known.authorize_url).origin,
        authorization_endpoint: known.authorize_url,
        token_endpoint: known.token_url,
        response_types_supported: ["code"],
      },
      resource: known.resource,
      scopes: auth.scopes.length > 0 ? auth.scopes : known.scopes,
    };
  }
  // A server may name the place of its metadata when it refuses; one that does not has it at the usual one.
  const challenge = await fetchFn(url, { method: "POST" }).catch(() => undefined);
  const { resourceMetadataUrl } = challenge ? extractWWWAuthenticateParams(challenge) : {};
  const found = await told(() =>
    discoverOAuthServerInfo(url, {
      fetchFn,
      ...(resourceMetadataUrl ? { resourceMetadataUrl } : {}),
    }),
  );
  const { authorizationServerMetadata: metadata, resourceMetadata } = found;
  if (!metadata) {
    throw new AppError(
      "upstream_failed",
      "The server names no authorization server to sign in at.",
    );
  }
  const resource = resourceMetadata?.resource ?? null;
  const fits =
    resource === null ||
    checkResourceAllowed({ requestedResource: url, configuredResource: resource });
  if (!fits) throw new AppError("upstream_failed", "The server says that it is another resource.");
  const scopes = auth.scopes.length > 0 ? auth.scopes : (resourceMetadata?.scopes_supported ?? []);
  return { issuer: metadata.issuer, metadata, resource, scopes };
}

async function register(
  deps: Deps,
  { auth, allow_private }: ForwardedInstance,
  { metadata, redirect_uri }: { metadata: AuthorizationServerMetadata; redirect_uri: string },
): Promise<OAuthClientInformation> {
  if (auth.client_id !== null) return { client_id: auth.client_id };
  if (!metadata.registration_endpoint) {
    throw new AppError(
      "conflict",
      "The authorization server takes no new clients by itself: an administrator must register one there and set auth.client_id.",
    );
  }
  const methods = metadata.token_endpoint_auth_methods_supported ?? [];
  return await told(() =>
    registerClient(metadata.issuer, {
      metadata,
      clientMetadata: {
        client_name: "Portcullis",
        redirect_uris: [redirect_uri],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        ...(methods.includes("none") ? { token_endpoint_auth_method: "none" } : {}),
      },
      fetchFn: oauthFetch(deps, allow_private),
    }),
  );
}

/** What the other side wrote stays out of our errors: it goes neither to the log nor to the page. */
async function told<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof AppError) throw thrown;
    throw new AppError(
      "upstream_failed",
      "Signing in there could not be prepared: its authorization server answers with an error.",
    );
  }
}
