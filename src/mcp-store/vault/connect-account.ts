/** Connects an account of a principal: starts the authorization code flow and finishes it at the callback. */
import {
  exchangeAuthorization,
  type OAuthTokens,
  startAuthorization,
} from "@modelcontextprotocol/client";
import { AppError } from "../../contract/errors.ts";
import { changeStore, runExclusive } from "../../db/config-revision.ts";
import type { Db } from "../../db/db.ts";
import { type AuditAuthor, recordChange } from "../../db/record-change.ts";
import { sealContextOf } from "../../db/sealed-columns.ts";
import {
  deleteExpiredFlows,
  type OauthFlowRow,
  oauthFlowTable,
} from "../../db/tables/oauth-flows.ts";
import {
  type OauthRegistrationRow,
  oauthRegistrationTable,
} from "../../db/tables/oauth-registrations.ts";
import { type OauthServerRow, oauthServerTable } from "../../db/tables/oauth-servers.ts";
import { isMcp, registryTable } from "../../db/tables/registries.ts";
import {
  type StoreCredentialRow,
  storeCredentialTable,
} from "../../db/tables/store-credentials.ts";
import { type StoreInstallRow, storeInstallTable } from "../../db/tables/store-installs.ts";
import type { Deps } from "../../deps.ts";
import { type SealContext, seal, unseal } from "../../lib/crypto/seal.ts";
import { hashSecret, newSecret } from "../../lib/crypto/secrets.ts";
import { isExpired } from "../../lib/time/duration.ts";
import { endApprovals } from "../installs/end-approvals.ts";
import type { Principal } from "../principals/identify-principal.ts";
import {
  bindServer,
  findSuspendedInstances,
  serverChangedMessage,
  serverReplacedError,
} from "./bind-server.ts";
import { readAccountName, toCredentialColumns } from "./credential-row.ts";
import { discoverServer, findCatalogServer } from "./discover-server.ts";
import { type ForwardedInstance, isForwarded } from "./forwarded-instance.ts";
import { hideUpstreamText } from "./hide-upstream-text.ts";
import { isSameServer } from "./is-same-server.ts";
import {
  findOrCreateRegistration,
  readClientInformation,
  readMetadata,
  retireUnknownClient,
} from "./oauth-client.ts";
import { createOauthFetch } from "./oauth-fetch.ts";

const FLOW_LIFETIME_MS = 600_000;

const verifierContext = (id: string): SealContext => sealContextOf("oauth_flows.code_verifier", id);

/** Returns the URL to redirect the browser to. */
export async function startConnect(
  deps: Deps,
  author: AuditAuthor,
  { gateway_id, principal_sub, sign_in }: Principal,
  instance: ForwardedInstance,
  { install, url, origin }: { install: StoreInstallRow; url: string; origin: string },
): Promise<string> {
  const found = await discoverServer(deps, instance, url);
  const server = await bindServer(deps, author, instance, found);
  const registration = await findOrCreateRegistration(deps, instance, server, origin);
  const client = readClientInformation(deps, instance, registration);
  if (!client) throw serverReplacedError();
  const { scopes } = found;
  const state = newSecret("");
  const { authorizationUrl, codeVerifier } = await hideUpstreamText(() =>
    startAuthorization(server.issuer, {
      metadata: readMetadata(server),
      clientInformation: client,
      redirectUrl: registration.redirect_uri,
      state,
      ...(scopes.length > 0 ? { scope: scopes.join(" ") } : {}),
      ...(server.resource === null ? {} : { resource: server.resource }),
    }),
  );
  const at = deps.now();
  await deleteExpiredFlows(deps.db, at.toISOString());
  const id = deps.newId();
  const flow: OauthFlowRow = {
    id,
    state_hash: hashSecret(state),
    gateway_id,
    principal_sub,
    instance_id: instance.id,
    registration_id: registration.id,
    resource: server.resource ?? "",
    sign_in,
    code_verifier: seal(deps.keyring(), verifierContext(id), codeVerifier),
    expires_at: new Date(at.getTime() + FLOW_LIFETIME_MS).toISOString(),
    created_at: at.toISOString(),
  };
  await runExclusive(deps.db, async (db) => {
    await requireUnchanged(db, instance, install);
    await findBoundClient({ ...deps, db }, registration.id);
    await oauthFlowTable.insert(db, flow);
  });
  return authorizationUrl.href;
}

/** Rejects an instance or values that changed during a request to its servers: the account is for the address of before. */
async function requireUnchanged(
  db: Db,
  { id, version }: ForwardedInstance,
  install: StoreInstallRow,
): Promise<void> {
  const isSame =
    (await registryTable.find(db, { id, version })) &&
    Bun.deepEquals((await storeInstallTable.find(db, { id: install.id }))?.config, install.config);
  if (!isSame) throw serverReplacedError();
}

/** Returns a client and its authorization server. Rejects a server that the instance no longer uses. */
async function findBoundClient(
  deps: Deps,
  registration_id: string | null,
): Promise<{ registration: OauthRegistrationRow; server: OauthServerRow }> {
  const registration =
    registration_id === null
      ? undefined
      : await oauthRegistrationTable.find(deps.db, { id: registration_id });
  const server =
    registration &&
    (await oauthServerTable.find(deps.db, { id: registration.server_id, state: "current" }));
  if (!server) throw serverReplacedError();
  return { registration, server };
}

/** Authorization response: the query, and the path of the callback. */
export interface AuthorizationResponse {
  path: string;
  state: string;
  code: string | undefined;
  iss: string | undefined;
}

/** `identify` returns the principal of the browser. A callback of another principal's flow is rejected. */
export async function finishConnect(
  deps: Deps,
  author: AuditAuthor,
  identify: () => Promise<Principal>,
  { path, state, code, iss }: AuthorizationResponse,
): Promise<ForwardedInstance> {
  const { flow, install } = await takeFlow(deps, await identify(), state);
  if (!code)
    throw new AppError(
      "invalid_request",
      "The sign-in was not completed at the authorization server. Start again.",
    );
  const { registration, server } = await findBoundClient(deps, flow.registration_id);
  // A proxy may add a path prefix.
  if (!registration.redirect_uri.endsWith(path)) {
    throw new AppError("invalid_request", "The response belongs to another server. Start again.");
  }
  const instance = await registryTable.find(deps.db, { id: flow.instance_id });
  if (!instance || !isMcp(instance) || !isForwarded(instance)) throw serverReplacedError();
  const suspended = await findSuspendedInstances(deps, flow.gateway_id, [instance]);
  if (suspended.has(instance.id))
    throw new AppError("conflict", serverChangedMessage(instance.name));
  const codeVerifier = unseal(deps.keyring(), verifierContext(flow.id), flow.code_verifier);
  const client = readClientInformation(deps, instance, registration);
  if (codeVerifier === undefined || !client) throw serverReplacedError();
  const resource = flow.resource ?? server.resource;
  const tokens = await exchangeAuthorization(server.issuer, {
    metadata: readMetadata(server),
    clientInformation: client,
    authorizationCode: code,
    codeVerifier,
    redirectUri: registration.redirect_uri,
    fetchFn: createOauthFetch(deps, instance.allow_private),
    ...(iss === undefined ? {} : { iss: await toBoundIssuer(deps, instance, server, iss) }),
    ...(resource ? { resource } : {}),
  }).catch(async (thrown) => {
    await retireUnknownClient(deps, registration, thrown);
    throw new AppError(
      "upstream_failed",
      "The authorization server rejected the sign-in. Start again.",
    );
  });
  // A token that was rotated in the meantime must not leave the account to tokens that were added to it.
  requireSameSignIn(flow, await identify());
  await changeStore(deps.db, async (db) => {
    await requireUnchanged(db, instance, install);
    await saveCredential({ ...deps, db }, author, { flow, install }, tokens);
  });
  return instance;
}

/**
 * Returns the bound issuer for one of the same origin, if the catalog entry names the server: it names no issuer, only
 * endpoints, and the issuer of its server may have a path, as those of Keycloak have.
 */
async function toBoundIssuer(
  deps: Deps,
  instance: ForwardedInstance,
  { issuer, metadata }: OauthServerRow,
  iss: string,
): Promise<string> {
  if (URL.parse(iss)?.origin !== issuer) return iss;
  const named = await findCatalogServer(deps, instance);
  return named && isSameServer(named.metadata, metadata) ? issuer : iss;
}

interface TakenFlow {
  flow: OauthFlowRow;
  install: StoreInstallRow;
}

/** Removes a flow and returns it, so that a state can be used once. */
async function takeFlow(deps: Deps, principal: Principal, state: string): Promise<TakenFlow> {
  const flow = await oauthFlowTable.find(deps.db, { state_hash: hashSecret(state) });
  const ended = new AppError(
    "invalid_request",
    "The sign-in has expired or was already used. Start again.",
  );
  if (!flow) throw ended;
  requireSameSignIn(flow, principal);
  const { gateway_id, principal_sub } = principal;
  const { instance_id } = flow;
  // Read first: a later change of its values is noticed, and an earlier one by an administrator has removed the flow.
  const install = await storeInstallTable.find(deps.db, { gateway_id, principal_sub, instance_id });
  const taken = await oauthFlowTable.remove(deps.db, { id: flow.id });
  if (taken === 0 || isExpired(flow.expires_at, deps.now())) throw ended;
  if (!install) throw new AppError("conflict", "The server is no longer installed.");
  return { flow, install };
}

function requireSameSignIn(
  flow: OauthFlowRow,
  { gateway_id, principal_sub, sign_in }: Principal,
): void {
  const isTheirs =
    flow.gateway_id === gateway_id &&
    flow.principal_sub === principal_sub &&
    // null: started by the previous release, and has no client either.
    (flow.sign_in === null || flow.sign_in === sign_in);
  if (isTheirs) return;
  throw new AppError(
    "forbidden",
    "The sign-in was started by another person or token. Start again.",
  );
}

async function saveCredential(
  deps: Deps,
  author: AuditAuthor,
  { flow, install }: TakenFlow,
  tokens: OAuthTokens,
): Promise<void> {
  const { gateway_id, principal_sub, instance_id, registration_id, resource, sign_in } = flow;
  const { server } = await findBoundClient(deps, registration_id);
  const target = { gateway_id, principal_sub, instance_id };
  const before = await storeCredentialTable.find(deps.db, target);
  const id = before?.id ?? deps.newId();
  const columns = toCredentialColumns(deps, id, tokens, []);
  const row: StoreCredentialRow = {
    ...target,
    ...columns,
    id,
    registration_id,
    resource,
    sign_in,
    account: readAccountName(tokens),
    version: (before?.version ?? 0) + 1,
    created_at: before?.created_at ?? columns.updated_at,
  };
  if (before) await storeCredentialTable.update(deps.db, row.id, row);
  else await storeCredentialTable.insert(deps.db, row);
  await endApprovals(deps, install);
  const { account, scopes, expires_at } = row;
  await recordChange(deps, author, {
    resource: "store_credential",
    verb: before ? "update" : "create",
    id: row.id,
    name: install.code,
    gateway_id,
    before: null,
    after: { ...target, account, scopes, expires_at, issuer: server.issuer },
  });
}
