/** Finds the authorization server of an instance, in its catalog entry or in the metadata of the MCP server. */
import {
  type AuthorizationServerMetadata,
  checkResourceAllowed,
  discoverOAuthServerInfo,
  extractWWWAuthenticateParams,
} from "@modelcontextprotocol/client";
import { AppError } from "../../contract/errors.ts";
import type { CatalogAuth } from "../../contract/store/catalog.ts";
import { findCatalogEntry } from "../../db/tables/catalog-entries.ts";
import type { Deps } from "../../deps.ts";
import { checkUrl } from "../../net/check-url.ts";
import type { ForwardedInstance } from "./forwarded-instance.ts";
import { hideUpstreamText } from "./hide-upstream-text.ts";
import { ENDPOINTS } from "./is-same-server.ts";
import { createOauthFetch } from "./oauth-fetch.ts";

export interface DiscoveredServer {
  /** True when the catalog entry names it, false when the MCP server advertises it. */
  in_catalog: boolean;
  metadata: AuthorizationServerMetadata;
  resource: string | null;
  /** Empty: the scopes that the authorization server grants by default. */
  scopes: readonly string[];
}

/** Members that are stored; a server may send any number of others. */
const STORED_MEMBERS = [
  "issuer",
  ...ENDPOINTS,
  "response_types_supported",
  "code_challenge_methods_supported",
  "token_endpoint_auth_methods_supported",
  "authorization_response_iss_parameter_supported",
] as const;

const MAX_URL_LENGTH = 2000;

/** `url` is the URL of the principal's calls. */
export async function discoverServer(
  deps: Deps,
  instance: ForwardedInstance,
  url: string,
): Promise<DiscoveredServer> {
  const found =
    (await findCatalogServer(deps, instance)) ?? (await fetchAdvertisedServer(deps, instance, url));
  for (const name of ["issuer", ...ENDPOINTS] as const) {
    const text = found.metadata[name];
    if (text === undefined) continue;
    // The administrator who confirms it could mistake a user name, or letters of another alphabet, for another host.
    const isAscii = !/[^!-~]/.test(text);
    if (text.length > MAX_URL_LENGTH || !isAscii || URL.parse(text)?.username !== "") {
      throw new AppError(
        "upstream_failed",
        `The ${name} of the authorization server is too long, not a URL, not ASCII, or contains a user name.`,
      );
    }
    if (name !== "issuer") checkUrl(text, name, instance.allow_private);
  }
  const { scopes } = instance.auth;
  return { ...found, scopes: scopes.length > 0 ? scopes : found.scopes };
}

/** Returns the server that the catalog entry names; undefined: the MCP server advertises it. */
export async function findCatalogServer(
  deps: Deps,
  { gateway_id, provider_options: { code } }: ForwardedInstance,
): Promise<DiscoveredServer | undefined> {
  const entry = code === null ? undefined : await findCatalogEntry(deps.db, gateway_id, code);
  return entry?.auth.type === "oauth" ? readCatalogServer(entry.auth) : undefined;
}

function readCatalogServer(
  auth: Extract<CatalogAuth, { type: "oauth" }>,
): DiscoveredServer | undefined {
  const { authorize_url, token_url, resource, scopes } = auth;
  if (!authorize_url || !token_url) return undefined;
  const metadata = {
    issuer: new URL(authorize_url).origin,
    authorization_endpoint: authorize_url,
    token_endpoint: token_url,
    response_types_supported: ["code"],
  };
  return { in_catalog: true, metadata, resource, scopes };
}

async function fetchAdvertisedServer(
  deps: Deps,
  { allow_private }: ForwardedInstance,
  url: string,
): Promise<DiscoveredServer> {
  const fetchFn = createOauthFetch(deps, allow_private);
  // RFC 9728 section 5.1: a 401 may name the URL of the metadata; otherwise it is at the well-known URL.
  const challenge = await fetchFn(url, { method: "POST" }).catch(() => undefined);
  const { resourceMetadataUrl } = challenge ? extractWWWAuthenticateParams(challenge) : {};
  const { authorizationServerMetadata: metadata, resourceMetadata } = await hideUpstreamText(() =>
    discoverOAuthServerInfo(url, {
      fetchFn,
      ...(resourceMetadataUrl ? { resourceMetadataUrl } : {}),
    }),
  );
  if (!metadata) {
    throw new AppError("upstream_failed", "The server does not advertise an authorization server.");
  }
  const resource = resourceMetadata?.resource ?? null;
  const isAllowed =
    resource === null ||
    checkResourceAllowed({ requestedResource: url, configuredResource: resource });
  if (!isAllowed) {
    throw new AppError(
      "upstream_failed",
      "The server advertises the metadata of another resource.",
    );
  }
  const stored = Object.fromEntries(
    STORED_MEMBERS.flatMap((name) =>
      metadata[name] === undefined ? [] : [[name, metadata[name]]],
    ),
  );
  return {
    in_catalog: false,
    // STORED_MEMBERS contains every member that the type requires.
    metadata: stored as AuthorizationServerMetadata,
    resource,
    scopes: resourceMetadata?.scopes_supported ?? [],
  };
}
