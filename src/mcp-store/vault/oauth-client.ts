/** Finds the gateway's OAuth client at an authorization server: a configured one, or one registered for the redirect URI. */
import {
  type AuthorizationServerMetadata,
  type OAuthClientInformation,
  OAuthError,
  OAuthErrorCode,
  registerClient,
} from "@modelcontextprotocol/client";
import { AppError } from "../../contract/errors.ts";
import { sealContextOf } from "../../db/sealed-columns.ts";
import {
  insertOwnClient,
  insertRegistration,
  type OauthRegistrationRow,
  oauthRegistrationTable,
} from "../../db/tables/oauth-registrations.ts";
import type { OauthServerRow } from "../../db/tables/oauth-servers.ts";
import type { Deps } from "../../deps.ts";
import { type SealContext, seal, unseal } from "../../lib/crypto/seal.ts";
import { serverReplacedError } from "./bind-server.ts";
import { checkConfiguredClient } from "./configured-client.ts";
import type { ForwardedInstance } from "./forwarded-instance.ts";
import { hideUpstreamText } from "./hide-upstream-text.ts";
import { createOauthFetch } from "./oauth-fetch.ts";

export const CALLBACK_PATH = "/oauth/callback";

/** `origin` is the public URL of this program. */
export async function findOrCreateRegistration(
  deps: Deps,
  instance: ForwardedInstance,
  server: OauthServerRow,
  origin: string,
): Promise<OauthRegistrationRow> {
  const { client_id } = instance.auth;
  const callback = `${origin}${CALLBACK_PATH}`;
  if (client_id !== null) {
    const where = { server_id: server.id, redirect_uri: callback, client_id, own: true };
    return await findOrCreate(deps, where, async () => {
      await checkConfiguredClient(deps, server, client_id);
      await insertOwnClient(deps, server.id, client_id, callback);
    });
  }
  // One per instance, to detect a code that returns to another instance's URI (RFC 9700 section 4.4.2.2).
  const redirect_uri = `${callback}/${instance.id}`;
  const where = { server_id: server.id, redirect_uri, own: false, retired_at: null };
  return await findOrCreate(deps, where, async () => {
    const created = await registerNewClient(deps, instance, server, redirect_uri);
    const id = deps.newId();
    await insertRegistration(deps.db, {
      ...where,
      id,
      client_id: created.client_id,
      client_secret:
        created.client_secret === undefined
          ? null
          : seal(deps.keyring(), secretContext(id), created.client_secret),
      created_at: deps.now().toISOString(),
    });
  });
}

const secretContext = (id: string): SealContext =>
  sealContextOf("oauth_registrations.client_secret", id);

async function findOrCreate(
  deps: Deps,
  where: Partial<OauthRegistrationRow>,
  create: () => Promise<void>,
): Promise<OauthRegistrationRow> {
  const known = await oauthRegistrationTable.find(deps.db, where);
  if (known) return known;
  await create();
  const created = await oauthRegistrationTable.find(deps.db, where);
  if (!created) throw serverReplacedError();
  return created;
}

/** Returns undefined when an administrator has replaced the client. */
export function readClientInformation(
  deps: Deps,
  instance: ForwardedInstance,
  { id, client_id, own, client_secret }: OauthRegistrationRow,
): OAuthClientInformation | undefined {
  const { auth } = instance;
  if (own && auth.client_id !== client_id) return undefined;
  const [context, sealed] = own
    ? [sealContextOf("registries.auth", instance.id), auth.client_secret]
    : [secretContext(id), client_secret];
  if (sealed === null) return { client_id };
  const secret = unseal(deps.keyring(), context, sealed);
  if (secret === undefined) throw secretNotDecrypted();
  return { client_id, client_secret: secret };
}

/** Retires a client that the authorization server has deleted, so that the next sign-in registers a new one. */
export async function retireUnknownClient(
  deps: Deps,
  { id, own }: OauthRegistrationRow,
  thrown: unknown,
): Promise<void> {
  const isUnknown = thrown instanceof OAuthError && thrown.code === OAuthErrorCode.InvalidClient;
  if (!isUnknown || own) return;
  await oauthRegistrationTable.update(deps.db, id, { retired_at: deps.now().toISOString() });
}

export const secretNotDecrypted = (): AppError =>
  new AppError(
    "upstream_failed",
    "The client secret cannot be decrypted. An administrator must set it again, or restore the encryption key.",
  );

async function registerNewClient(
  deps: Deps,
  { allow_private }: ForwardedInstance,
  server: OauthServerRow,
  redirect_uri: string,
): Promise<OAuthClientInformation> {
  const metadata = readMetadata(server);
  if (!metadata.registration_endpoint) {
    throw new AppError(
      "conflict",
      "The authorization server does not register clients. An administrator must register one there and set auth.client_id.",
    );
  }
  const methods = metadata.token_endpoint_auth_methods_supported ?? [];
  const created = await hideUpstreamText(() =>
    registerClient(metadata.issuer, {
      metadata,
      clientMetadata: {
        client_name: "Portcullis",
        redirect_uris: [redirect_uri],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        ...(methods.includes("none") ? { token_endpoint_auth_method: "none" } : {}),
      },
      fetchFn: createOauthFetch(deps, allow_private),
    }),
  );
  if (
    created.client_id.length > MAX_CLIENT_LENGTH ||
    (created.client_secret ?? "").length > MAX_CLIENT_LENGTH
  ) {
    throw new AppError(
      "upstream_failed",
      `The authorization server issued a client id or secret of more than ${MAX_CLIENT_LENGTH} characters.`,
    );
  }
  return created;
}

const MAX_CLIENT_LENGTH = 8192;

/** A row contains metadata of `discoverServer`, which the SDK has validated. */
export const readMetadata = (row: OauthServerRow): AuthorizationServerMetadata =>
  row.metadata as AuthorizationServerMetadata;
