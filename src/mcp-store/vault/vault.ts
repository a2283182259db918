/** Returns tokens for calls: those of a principal's account, renewed before they expire, or the gateway's. */
import { OAuthError, OAuthErrorCode, refreshAuthorization } from "@modelcontextprotocol/client";
import { AppError } from "../../contract/errors.ts";
import type { Db } from "../../db/db.ts";
import { oauthRegistrationTable } from "../../db/tables/oauth-registrations.ts";
import { oauthServerTable } from "../../db/tables/oauth-servers.ts";
import { isNewestVersion } from "../../db/tables/registries.ts";
import {
  renewCredential,
  type StoreCredentialRow,
  storeCredentialTable,
} from "../../db/tables/store-credentials.ts";
import { type StoreInstallRow, storeInstallTable } from "../../db/tables/store-installs.ts";
import type { Deps } from "../../deps.ts";
import { isExpired } from "../../lib/time/duration.ts";
import type { Principal } from "../principals/identify-principal.ts";
import { principalsChooseUrl } from "./bind-server.ts";
import { createClientTokens, type GetClientToken } from "./client-token.ts";
import { openCredential, toCredentialColumns } from "./credential-row.ts";
import type { ForwardedInstance } from "./forwarded-instance.ts";
import { readClientInformation, readMetadata, retireUnknownClient } from "./oauth-client.ts";
import { createOauthFetch } from "./oauth-fetch.ts";

export interface Vault {
  /** Returns undefined when the principal must connect. `rejected` is a token that the upstream rejected. */
  getAccessToken: (
    instance: ForwardedInstance,
    owner: StoreInstallRow & Pick<Principal, "sign_in">,
    rejected?: string,
  ) => Promise<string | undefined>;
  getClientToken: GetClientToken;
}

/** Allows for clock skew and the duration of a call. */
const RENEW_AHEAD_MS = 60_000;

export function openVault(deps: Deps): Vault {
  /** By credential: concurrent calls wait for one renewal. */
  const renewing = new Map<string, Promise<StoreCredentialRow | undefined>>();

  const renewOnce = (row: StoreCredentialRow, instance: ForwardedInstance, refresh: string) => {
    const running = renewing.get(row.id);
    if (running) return running;
    const renewal = renewToken(deps, instance, row, refresh).finally(() => renewing.delete(row.id));
    renewing.set(row.id, renewal);
    return renewal;
  };

  return {
    getClientToken: createClientTokens(deps),
    async getAccessToken(instance, { sign_in, ...install }, rejected) {
      const { gateway_id, principal_sub } = install;
      const where = { gateway_id, principal_sub, instance_id: instance.id, sign_in };
      const row = await storeCredentialTable.find(deps.db, where);
      const token = row && openCredential(deps.keyring(), row, "access_token");
      if (!row?.registration_id || token === undefined) return undefined;
      if (!(await isAddressCurrent(deps.db, instance, install))) {
        throw new AppError("conflict", "The server's configuration has changed. Repeat the call.");
      }
      const renewalTime = new Date(deps.now().getTime() + RENEW_AHEAD_MS);
      if (token !== rejected && !isExpired(row.expires_at, renewalTime)) return token;

      const refresh = openCredential(deps.keyring(), row, "refresh_token");
      if (refresh === undefined) {
        if (token === rejected) await expireCredential(deps, row);
        return token === rejected || isExpired(row.expires_at, deps.now()) ? undefined : token;
      }
      const renewed = await renewOnce(row, instance, refresh);
      return renewed && openCredential(deps.keyring(), renewed, "access_token");
    },
  };
}

/**
 * Returns whether instance and install still have the address that the call began with: a server may delay a call until
 * they have another one, which the account is for.
 */
async function isAddressCurrent(
  db: Db,
  instance: ForwardedInstance,
  { id, config }: StoreInstallRow,
): Promise<boolean> {
  if (!(await isNewestVersion(db, instance))) return false;
  if (!principalsChooseUrl(instance)) return true;
  return Bun.deepEquals((await storeInstallTable.find(db, { id }))?.config, config);
}

/** Returns undefined when the account must be connected again. */
async function renewToken(
  deps: Deps,
  instance: ForwardedInstance,
  row: StoreCredentialRow,
  refreshToken: string,
): Promise<StoreCredentialRow | undefined> {
  const id = row.registration_id ?? "";
  const registration = await oauthRegistrationTable.find(deps.db, { id });
  const server =
    registration && (await oauthServerTable.find(deps.db, { id: registration.server_id }));
  const client = registration && readClientInformation(deps, instance, registration);
  if (!server || !client) return undefined;
  // Where each principal has a resource, that of the server is the last sign-in's.
  const resource = row.resource ?? (principalsChooseUrl(instance) ? null : server.resource);
  try {
    const tokens = await refreshAuthorization(server.issuer, {
      metadata: readMetadata(server),
      clientInformation: client,
      refreshToken,
      fetchFn: createOauthFetch(deps, instance.allow_private),
      ...(resource ? { resource } : {}),
    });
    await renewCredential(deps.db, row, toCredentialColumns(deps, row.id, tokens, row.scopes));
    return await storeCredentialTable.find(deps.db, { id: row.id });
  } catch (thrown) {
    const code = thrown instanceof OAuthError ? thrown.code : "unreachable";
    deps.log("credential_not_renewed", { level: "warn", instance_id: instance.id, code });
    await retireUnknownClient(deps, registration, thrown);
    if (code === OAuthErrorCode.InvalidGrant || code === OAuthErrorCode.InvalidClient) {
      return (await waitForOtherRenewal(deps, row)) ?? (await expireCredential(deps, row));
    }
    if (!isExpired(row.expires_at, deps.now())) return row;
    throw new AppError("upstream_failed", "The access token could not be renewed. Try again.");
  }
}

/** Waits for the renewal of another node, which has used the refresh token first. */
async function waitForOtherRenewal(
  deps: Deps,
  row: StoreCredentialRow,
): Promise<StoreCredentialRow | undefined> {
  for (let poll = 0; poll < MAX_POLLS; poll += 1) {
    const now = await storeCredentialTable.find(deps.db, { id: row.id });
    if (!now || now.version !== row.version) return now;
    // The other node may not have written its result yet.
    await Bun.sleep(POLL_MS);
  }
  return undefined;
}

const MAX_POLLS = 5;
const POLL_MS = 200;

/** Marks a credential as expired, unless a newer version was written. */
async function expireCredential(deps: Deps, row: StoreCredentialRow): Promise<undefined> {
  const at = deps.now().toISOString();
  const { access_token, scopes } = row;
  const ended = { access_token, scopes, refresh_token: null, expires_at: at, updated_at: at };
  await renewCredential(deps.db, row, ended);
}
