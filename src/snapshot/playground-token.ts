/** Seals and opens playground tokens: short-lived credentials of one consumer or collector for the console. */
import { PERMISSIONS } from "../contract/roles.ts";
import { type Keyring, seal, unseal } from "../lib/crypto/seal.ts";
import type {
  AdminCredential,
  CollectorView,
  ConsumerView,
  KeyView,
  Snapshot,
  TokenView,
} from "./snapshot.ts";

const LIFETIME_MS = 10 * 60_000;

/** A playground token ends with the credential that created it. */
interface Contents extends AdminCredential {
  expires_at: number;
}

export function sealPlaygroundToken(
  keyring: Keyring,
  { consumer_id, creator, at }: { consumer_id: string; creator: AdminCredential; at: Date },
): { token: string; expires_at: string } {
  const expires_at = at.getTime() + LIFETIME_MS;
  const contents: Contents = { ...creator, expires_at };
  const token = seal(keyring, contextOf(consumer_id), JSON.stringify(contents));
  return { token, expires_at: new Date(expires_at).toISOString() };
}

/** Configuration and time at which a token is used. */
interface Use {
  keyring: Keyring;
  snapshot: Snapshot;
  at: Date;
}

/** Returns undefined for a token of another consumer, and for an expired, ended or changed one. */
export function openPlaygroundToken(
  use: Use,
  token: string,
  consumer: ConsumerView,
): KeyView | undefined {
  const plain = unseal(use.keyring, contextOf(consumer.id), token);
  if (plain === undefined) return undefined;
  const contents = JSON.parse(plain) as Contents; // sealed by this program
  const creator = findCreator(use, contents, consumer.gateway.id);
  // The request is recorded with the administrator's token in place of a key.
  return creator && { id: creator.id, consumer, expires_at: contents.expires_at };
}

/** Returns the administrator's token if it, its session and the playground token are valid, and it may still create one. */
function findCreator(
  { snapshot, at }: Use,
  { token_hash, session_id, expires_at }: Contents,
  gateway_id: string | null,
): TokenView | undefined {
  const token = snapshot.tokensByHash.get(token_hash);
  const now = at.getTime();
  if (!token || token.expires_at <= now || expires_at <= now) return undefined;
  if (session_id !== null && snapshot.endedSessions.has(session_id)) return undefined;
  const isInScope =
    token.gateway_ids === null || (gateway_id !== null && token.gateway_ids.includes(gateway_id));
  return isInScope && PERMISSIONS[token.role].includes("write") ? token : undefined;
}

/** Prefix of the tokens of collectors, which are sent in the same header as their keys. */
export const COLLECTOR_TOKEN = "play_";

export function sealCollectorToken(
  keyring: Keyring,
  { collector_id, creator, at }: { collector_id: string; creator: AdminCredential; at: Date },
): { token: string; expires_at: string } {
  const expires_at = at.getTime() + LIFETIME_MS;
  const contents: CollectorContents = { ...creator, collector_id, expires_at };
  const sealed = seal(keyring, COLLECTOR_CONTEXT, JSON.stringify(contents));
  return { token: `${COLLECTOR_TOKEN}${sealed}`, expires_at: new Date(expires_at).toISOString() };
}

/** Returns the collector and the administrator's token; undefined for an expired, ended or changed token. */
export function openCollectorToken(
  use: Use,
  token: string,
): { collector: CollectorView; token_id: string } | undefined {
  const plain = unseal(use.keyring, COLLECTOR_CONTEXT, token.slice(COLLECTOR_TOKEN.length));
  if (plain === undefined) return undefined;
  const contents = JSON.parse(plain) as CollectorContents; // sealed by this program
  const creator = findCreator(use, contents, null);
  const collector = use.snapshot.collectors.get(contents.collector_id);
  return creator && collector && { collector, token_id: creator.id };
}

interface CollectorContents extends Contents {
  collector_id: string;
}

const COLLECTOR_CONTEXT = { purpose: "playground.collector", id: "" };

const contextOf = (id: string) => ({ purpose: "playground.token", id });
