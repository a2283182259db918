/** Reads a token that the AWS CLI stored in a file, and refreshes it as the AWS SDKs do. */
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import type { z } from "zod";
import { AppError } from "../../contract/errors.ts";
import { newId } from "../../lib/ids.ts";
import { shellQuote } from "../../lib/text/shell-quote.ts";
import { credentialError, type IssuerHost, parseObject } from "../call-issuer.ts";
import type { CacheOptions } from "../credential-cache.ts";

/** A profile whose user signs in with the AWS CLI. */
export interface CliLogin {
  profile: string;
  /** In messages, such as `SSO session`. */
  kind: string;
  /** Signs in again, such as `aws sso login`. */
  command: string;
}

export interface StoredLogin<T> extends CliLogin {
  file: string;
  /** Keeps unknown members, because the file is written as a whole. */
  schema: z.ZodType<T>;
  /** Milliseconds since the epoch. */
  expiryOf: (token: T) => number;
  /** Returns undefined for a token that cannot be refreshed. */
  refresh: (token: T) => Promise<T | undefined>;
}

/** Services of the sources of AWS keys. `onRenewalFailure` is called for a token that expires soon. */
export interface AwsHost extends IssuerHost, Pick<CacheOptions, "onRenewalFailure"> {
  readStoredToken: ReadStoredToken;
}

export type ReadStoredToken = <T>(
  host: Pick<AwsHost, "now" | "onRenewalFailure">,
  login: StoredLogin<T>,
) => Promise<T>;

/** Refreshed this long before the end. */
const REFRESH_AHEAD_MS = 5 * 60_000;

/** One read of a file at a time, because a refresh replaces its refresh token. */
export function createTokenReader(): ReadStoredToken {
  /** By file, which only one kind of login uses. */
  const running = new Map<string, Promise<unknown>>();
  /** Refreshed tokens, by file, that could not be written. */
  const unsaved = new Map<string, unknown>();

  /** Returns the stored token, or the one in memory if it is newer. */
  async function load<T>({ file, schema, expiryOf }: StoredLogin<T>): Promise<T | undefined> {
    const text = await readFile(file, "utf8").catch(() => "");
    const stored = schema.safeParse(parseObject(text)).data;
    const refreshed = unsaved.get(file) as T | undefined;
    const isNewer = stored && refreshed && expiryOf(refreshed) > expiryOf(stored);
    return isNewer ? refreshed : stored;
  }

  async function read<T>(
    { now, onRenewalFailure }: Parameters<ReadStoredToken>[0],
    login: StoredLogin<T>,
  ): Promise<T> {
    const at = now().getTime();
    const token = await load(login);
    if (!token) throw loginRequired(login, "has no token in the cache of the AWS CLI");
    if (login.expiryOf(token) > at + REFRESH_AHEAD_MS) return token;
    const failure = await refresh(login, token).catch(AppError.from);
    // After a failure too: another process may have refreshed the token first.
    const last = (await load(login)) ?? token;
    const left = login.expiryOf(last) - at;
    if (left <= 0) throw loginRequired(login, "has expired", failure);
    // The operator can sign in before requests fail.
    if (left <= REFRESH_AHEAD_MS) onRenewalFailure(loginRequired(login, "expires soon", failure));
    return last;
  }

  /** Stores the refreshed token. */
  async function refresh<T>(login: StoredLogin<T>, token: T): Promise<undefined> {
    const next = await login.refresh(token);
    if (!next) return;
    await writeToken(login.file, next).then(
      () => unsaved.delete(login.file),
      () => unsaved.set(login.file, next),
    );
  }

  return <T>(host: Parameters<ReadStoredToken>[0], login: StoredLogin<T>) => {
    const { file } = login;
    const current = running.get(file) ?? read(host, login).finally(() => running.delete(file));
    running.set(file, current);
    return current as Promise<T>;
  };
}

/** The error has no `cause`, because the log would show that instead of the command to run. */
export const loginRequired = (
  { profile, kind, command }: CliLogin,
  problem: string,
  failure?: AppError,
): AppError =>
  credentialError(
    `The ${kind} of the AWS profile "${profile}" ${problem}. Run: ${command} --profile ${shellQuote(profile)}${failure ? ` (the refresh failed: ${failure.message})` : ""}`,
  );

/** Replaces the file as a whole, because other programs read it at any time. */
async function writeToken(file: string, token: unknown): Promise<void> {
  const part = `${file}-${newId()}`;
  try {
    await writeFile(part, JSON.stringify(token, null, 2), { mode: 0o600 });
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}
