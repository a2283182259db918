/** Seals and opens playground tokens: short-lived credentials of one consumer or collector for the console. */
import { type Keyring, seal, unseal } from "../lib/crypto/seal.ts";
import type { ConsumerView, KeyView } from "./snapshot.ts";

const LIFETIME_MS = 10 * 60_000;

interface Contents {
  /** Token of the administrator: the request is recorded with it in place of a key. */
  key_id: string;
  expires_at: number;
}

export function sealPlaygroundToken(
  keyring: Keyring,
  { consumer_id, key_id, at }: { consumer_id: string; key_id: string; at: Date },
): { token: string; expires_at: string } {
  const expires_at = at.getTime() + LIFETIME_MS;
  const contents: Contents = { key_id, expires_at };
  const token = seal(keyring, contextOf(consumer_id), JSON.stringify(contents));
  return { token, expires_at: new Date(expires_at).toISOString() };
}

/** Returns undefined for a token of another consumer, and for an expired or changed one. */
export function openPlaygroundToken(
  keyring: Keyring,
  token: string,
  consumer: ConsumerView,
  at: Date,
): KeyView | undefined {
  const plain = unseal(keyring, contextOf(consumer.id), token);
  if (plain === undefined) return undefined;
  const { key_id, expires_at } = JSON.parse(plain) as Contents; // sealed by this program
  return expires_at > at.getTime() ? { id: key_id, consumer, expires_at } : undefined;
}

/** Prefix of the tokens of collectors, which are sent in the same header as their keys. */
export const COLLECTOR_TOKEN = "play_";

export function sealCollectorToken(
  keyring: Keyring,
  { collector_id, at }: { collector_id: string; at: Date },
): { token: string; expires_at: string } {
  const expires_at = at.getTime() + LIFETIME_MS;
  const contents: CollectorContents = { collector_id, expires_at };
  const sealed = seal(keyring, COLLECTOR_CONTEXT, JSON.stringify(contents));
  return { token: `${COLLECTOR_TOKEN}${sealed}`, expires_at: new Date(expires_at).toISOString() };
}

/** Returns the id of the collector; undefined for an expired or changed token. */
export function openCollectorToken(keyring: Keyring, token: string, at: Date): string | undefined {
  const plain = unseal(keyring, COLLECTOR_CONTEXT, token.slice(COLLECTOR_TOKEN.length));
  if (plain === undefined) return undefined;
  const { collector_id, expires_at } = JSON.parse(plain) as CollectorContents; // sealed by this program
  return expires_at > at.getTime() ? collector_id : undefined;
}

interface CollectorContents {
  collector_id: string;
  expires_at: number;
}

const COLLECTOR_CONTEXT = { purpose: "playground.collector", id: "" };

const contextOf = (id: string) => ({ purpose: "playground.token", id });
