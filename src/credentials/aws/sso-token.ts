/** Reads the token that `aws sso login` stored, and refreshes it as the AWS SDKs do. */
import { createHash } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { z } from "zod";
import { AppError } from "../../contract/errors.ts";
import { newId } from "../../lib/ids.ts";
import { shellQuote } from "../../lib/text/shell-quote.ts";
import {
  credentialError,
  type IssuerHost,
  parseIssued,
  parseObject,
  rejectedBy,
} from "../call-issuer.ts";
import type { CacheOptions } from "../credential-cache.ts";
import { findEndpoint } from "./find-endpoint.ts";
import { awsFile } from "./shared-files.ts";

export interface SsoLogin {
  profile: string;
  /** Undefined for the legacy form, whose token cannot be refreshed. */
  session: string | undefined;
  start_url: string;
  region: string;
}

/** `onRenewalFailure` is called for a token that expires soon. */
export type SsoTokenHost = IssuerHost & Pick<CacheOptions, "onRenewalFailure">;

/** Returns the access token. */
export type ReadSsoToken = (host: SsoTokenHost, login: SsoLogin) => Promise<string>;

/** Other members of the file are kept when it is written. */
const CachedToken = z.looseObject({
  accessToken: z.string().min(1),
  expiresAt: z.string(),
  refreshToken: z.string().optional(),
  clientId: z.string().optional(),
  clientSecret: z.string().optional(),
});
type CachedToken = z.infer<typeof CachedToken>;

const RefreshedToken = z.object({
  accessToken: z.string().min(1),
  expiresIn: z.number().positive(),
  refreshToken: z.string().optional(),
});

/** Refreshed this long before the end. */
const REFRESH_AHEAD_MS = 5 * 60_000;

/** One read of a session at a time, because a refresh replaces its refresh token. */
export function createSsoTokenReader(): ReadSsoToken {
  const running = new Map<string, Promise<string>>();
  /** Refreshed tokens, by file, that could not be written. */
  const unsaved = new Map<string, CachedToken>();

  /** Returns the stored token, or the one in memory if it is newer. */
  async function load(file: string): Promise<CachedToken | undefined> {
    const stored = await readToken(file);
    const refreshed = unsaved.get(file);
    const isNewer = stored && refreshed && expiryOf(refreshed) > expiryOf(stored);
    return isNewer ? refreshed : stored;
  }

  async function read(host: SsoTokenHost, login: SsoLogin, file: string): Promise<string> {
    const now = host.now().getTime();
    const token = await load(file);
    if (!token) throw loginRequired(login, "has no token in the SSO cache");
    if (expiryOf(token) > now + REFRESH_AHEAD_MS) return token.accessToken;
    const failure = await refresh(host, login, { file, token }).catch(AppError.from);
    // After a failure too: another process may have refreshed the token first.
    const last = (await load(file)) ?? token;
    const left = expiryOf(last) - now;
    if (left <= 0) throw loginRequired(login, "has expired", failure);
    // The keys of the role outlive the token: the operator can sign in before requests fail.
    if (left <= REFRESH_AHEAD_MS) {
      host.onRenewalFailure(loginRequired(login, "expires soon", failure));
    }
    return last.accessToken;
  }

  /** Refreshes the token and stores it; skips one that cannot be refreshed. */
  async function refresh(
    host: IssuerHost,
    { session, region }: SsoLogin,
    { file, token }: { file: string; token: CachedToken },
  ): Promise<undefined> {
    const { clientId, clientSecret, refreshToken } = token;
    if (session === undefined || !clientId || !clientSecret || !refreshToken) return;
    const client = { clientId, clientSecret, refreshToken };
    const next = { ...token, ...(await requestToken(host, region, client)) };
    await writeToken(file, next).then(
      () => unsaved.delete(file),
      () => unsaved.set(file, next),
    );
  }

  return (host, login) => {
    const file = tokenFile(host.env, login.session ?? login.start_url);
    const current =
      running.get(file) ?? read(host, login, file).finally(() => running.delete(file));
    running.set(file, current);
    return current;
  };
}

/** The error has no `cause`, because the log would show that instead of the command to run. */
export const loginRequired = (
  { profile }: SsoLogin,
  problem: string,
  failure?: AppError,
): AppError =>
  credentialError(
    `The SSO session of the AWS profile "${profile}" ${problem}. Run: aws sso login --profile ${shellQuote(profile)}${failure ? ` (the refresh failed: ${failure.message})` : ""}`,
  );

const tokenFile = (env: IssuerHost["env"], name: string): string =>
  awsFile(env, "sso", "cache", `${createHash("sha1").update(name).digest("hex")}.json`);

/** A time that cannot be read counts as expired. */
const expiryOf = ({ expiresAt }: CachedToken): number => Date.parse(expiresAt) || 0;

async function readToken(file: string): Promise<CachedToken | undefined> {
  const text = await readFile(file, "utf8").catch(() => "");
  return CachedToken.safeParse(parseObject(text)).data;
}

async function requestToken(
  host: IssuerHost,
  region: string,
  client: { clientId: string; clientSecret: string; refreshToken: string },
): Promise<Pick<CachedToken, "accessToken" | "expiresAt" | "refreshToken">> {
  const issuer = "AWS IAM Identity Center";
  const response = await host.call({
    issuer,
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...client, grantType: "refresh_token" }),
    ...findEndpoint(host, "sso_oidc", region, "/token"),
  });
  const issued = RefreshedToken.safeParse(parseIssued(issuer, response)).data;
  if (!issued) throw rejectedBy(issuer, response.status, []);
  return {
    accessToken: issued.accessToken,
    expiresAt: new Date(host.now().getTime() + issued.expiresIn * 1000).toISOString(),
    // RFC 6749 section 6: without a new one, the old one stays valid.
    refreshToken: issued.refreshToken ?? client.refreshToken,
  };
}

/** Replaces the file as a whole, because other programs read it at any time. */
async function writeToken(file: string, token: CachedToken): Promise<void> {
  const part = `${file}-${newId()}`;
  try {
    await writeFile(part, JSON.stringify(token, null, 2), { mode: 0o600 });
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}
