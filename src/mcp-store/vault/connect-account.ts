/** A principal connects an account at an instance: off to its authorization server, and back with a code. */
import {
  exchangeAuthorization,
  OAuthError,
  OAuthErrorCode,
  type OAuthTokens,
  startAuthorization,
} from "@modelcontextprotocol/client";
import { AppError } from "../../contract/errors.ts";
import { changeStore } from "../../db/config-revision.ts";
import { oauthClientTable } from "../../db/oauth-clients.ts";
import { dropLapsedFlows, type OauthFlowRow, oauthFlowTable } from "../../db/oauth-flows.ts";
import { type Author, recordChange } from "../../db/record-change.ts";
import { isMcp, registryTable } from "../../db/registries.ts";
import { sealedIn } from "../../db/sealed-texts.ts";
import { type StoreCredentialRow, storeCredentialTable } from "../../db/store-credentials.ts";
import { storeInstallTable } from "../../db/store-installs.ts";
import type { Deps } from "../../deps.ts";
import { hasEnded } from "../../lib/has-ended.ts";
import { newSecret } from "../../lib/ids.ts";
import { type SealContext, seal, unseal } from "../../lib/seal.ts";
import { secretHash } from "../../lib/secret-hash.ts";
import type { Principal } from "../identify-principal.ts";
import { accountOf, credentialOf } from "./credential-row.ts";
import {
  clientFor,
  clientInformation,
  type ForwardedInstance,
  isForwarded,
  metadataOf,
} from "./oauth-client.ts";
import { oauthFetch } from "./oauth-fetch.ts";

const FLOW_MS = 600_000;

const sealedVerifier = (id: string): SealContext => sealedIn("oauth_flows.code_verifier", id);

export const CALLBACK_PATH = "/oauth/callback";

/** Where the browser goes next. */
export async function startConnect(
  deps: Deps,
  { gateway_id, principal_sub }: Principal,
  instance: ForwardedInstance,
  { url, origin }: { url: string; origin: string },
): Promise<string> {
  const redirect_uri = `${origin}${CALLBACK_PATH}`;
  const { row, scopes } = await clientFor(deps, instance, { url, redirect_uri });
  const state = newSecret("");
  const { authorizationUrl, codeVerifier } = await startAuthorization(row.issuer, {
    metadata: metadataOf(row),
    clientInformation: clientInformation(deps, instance, row),
    redirectUrl: redirect_uri,
    state,
    ...(scopes.length > 0 ? { scope: scopes.join(" ") } : {}),
    ...(row.resource === null ? {} : { resource: row.resource }),
  });
  const at = deps.now();
  await dropLapsedFlows(deps.db, at.toISOString());
  const id = deps.newId();
  await oauthFlowTable.insert(deps.db, {
    id,
    state_hash: secretHash(state),
    gateway_id,
    principal_sub,
    instance_id: instance.id,
    code_verifier: seal(deps.keyring(), sealedVerifier(id), codeVerifier),
    expires_at: new Date(at.getTime() + FLOW_MS).toISOString(),
    created_at: at.toISOString(),
  });
  return authorizationUrl.href;
}

/** What the authorization server sends back in the query. */
export interface Returned {
  state: string;
  code: string | undefined;
  iss: string | undefined;
}

/** `principal` is who the browser belongs to: an address that somebody else sent leads nowhere. */
export async function finishConnect(
  deps: Deps,
  author: Author,
  principal: Principal,
  { state, code, iss }: Returned,
): Promise<ForwardedInstance> {
  const flow = await takeFlow(deps, principal, state);
  if (!code) throw new AppError("invalid_request", "The sign-in was not completed there.");
  const instance = await registryTable.find(deps.db, { id: flow.instance_id });
  const client = await oauthClientTable.find(deps.db, { instance_id: flow.instance_id });
  const code_verifier = unseal(deps.keyring(), sealedVerifier(flow.id), flow.code_verifier);
  if (!instance || !isMcp(instance) || !isForwarded(instance) || !client || !code_verifier) {
    throw new AppError("conflict", "The server was changed meanwhile: start again.");
  }
  const tokens = await exchangeAuthorization(client.issuer, {
    metadata: metadataOf(client),
    clientInformation: clientInformation(deps, instance, client),
    authorizationCode: code,
    codeVerifier: code_verifier,
    redirectUri: client.redirect_uri,
    fetchFn: oauthFetch(deps, instance.allow_private),
    ...(iss === undefined ? {} : { iss }),
    ...(client.resource === null ? {} : { resource: client.resource }),
  }).catch(async (thrown) => {
    // The client that we were registered as is known there no more: the next attempt registers again.
    if (thrown instanceof OAuthError && thrown.code === OAuthErrorCode.InvalidClient) {
      await oauthClientTable.remove(deps.db, { id: client.id });
    }
    throw new AppError(
      "upstream_failed",
      "The authorization server refused the sign-in: start again.",
    );
  });
  await changeStore(deps.db, (db) => save({ ...deps, db }, author, flow, tokens));
  return instance;
}

/** One use: of two that bring the same state the second finds nothing. */
async function takeFlow(deps: Deps, principal: Principal, state: string): Promise<OauthFlowRow> {
  const flow = await oauthFlowTable.find(deps.db, { state_hash: secretHash(state) });
  const gone = new AppError("invalid_request", "This sign-in has ended or was used: start again.");
  if (!flow) throw gone;
  if (flow.gateway_id !== principal.gateway_id || flow.principal_sub !== principal.principal_sub) {
    throw new AppError("forbidden", "Somebody else started this sign-in.");
  }
  const taken = await oauthFlowTable.remove(deps.db, { id: flow.id });
  if (taken === 0 || hasEnded(flow.expires_at, deps.now())) throw gone;
  return flow;
}

async function save(
  deps: Deps,
  author: Author,
  { gateway_id, principal_sub, instance_id }: OauthFlowRow,
  tokens: OAuthTokens,
): Promise<void> {
  const place = { gateway_id, principal_sub, instance_id };
  // Uninstalled meanwhile: an account that nothing uses is not kept.
  if (!(await storeInstallTable.find(deps.db, place))) {
    throw new AppError("conflict", "The server is not installed any more.");
  }
  const before = await storeCredentialTable.find(deps.db, place);
  const id = before?.id ?? deps.newId();
  const found = credentialOf(deps, id, tokens, []);
  const row: StoreCredentialRow = {
    ...place,
    ...found,
    id,
    account: accountOf(tokens),
    version: (before?.version ?? 0) + 1,
    created_at: before?.created_at ?? found.updated_at,
  };
  if (before) await storeCredentialTable.update(deps.db, row.id, row);
  else await storeCredentialTable.insert(deps.db, row);
  const { account, scopes, expires_at } = row;
  await recordChange(deps, author, {
    resource: "store_credential",
    verb: before ? "update" : "create",
    id: row.id,
    gateway_id,
    before: null,
    after: { ...place, account, scopes, expires_at },
  });
}
