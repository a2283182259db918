/** What every operation is handed: the outside world, so that a test can hand in another one. */
import type { RequestEvent } from "./contract/requests.ts";
import type { Db } from "./db/db.ts";
import type { UsedTable } from "./db/last-used.ts";
import type { Keyring } from "./lib/seal.ts";
import type { Send } from "./net/send.ts";
import type { Limiter } from "./plugins/rate-limiter/limiter.ts";
import type { Settings } from "./settings.ts";
import type { Snapshot } from "./snapshot/snapshot.ts";

export interface Deps {
  db: Db;
  /** What the hot paths read instead of db. */
  snapshot: () => Snapshot;
  settings: Settings;
  /** Asked for at every use: a key that was added while running counts at once. */
  keyring: () => Keyring;
  send: Send;
  /** Counts and blocks of the rate limiter. */
  limiter: Limiter;
  now: () => Date;
  newId: () => string;
  random: () => number;
  log: (event: string, fields: Record<string, unknown>) => void;
  /** Remembers that a key or token was used; written in batches, off the request path. */
  used: (kind: UsedTable, id: string) => void;
  /** Tells a request that the data plane answered; written in batches, off the request path. */
  record: (event: RequestEvent) => void;
  /** Where the built-in demo upstream listens in this process. */
  demo_url: string;
}
