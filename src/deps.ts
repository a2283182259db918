/** Services and state of the running program, built once by `start()` and passed to every operation. */
import type { EvaluateRequest, Verdict } from "./contract/evaluate.ts";
import type { RequestEvent } from "./contract/requests.ts";
import type { Db } from "./db/db.ts";
import type { RecordedEvaluation } from "./db/tables/evaluation-events.ts";
import type { UsedTable } from "./db/tables/last-used.ts";
import type { ByteBudget } from "./lib/concurrency/byte-budget.ts";
import type { Keyring } from "./lib/crypto/seal.ts";
import type { Send } from "./net/send.ts";
import type { Limiter } from "./plugins/rate-limiter/limiter.ts";
import type { IdempotencyState } from "./run-once.ts";
import type { Settings } from "./settings.ts";
import type { Snapshot } from "./snapshot/snapshot.ts";

/** Features with state of their own add a member where that state is defined (`declare module`). */
export interface Deps {
  db: Db;
  /** Configuration in memory, which hot paths read instead of `db`. */
  snapshot: () => Snapshot;
  settings: Settings;
  /** Called at every use: a key that is added while the program runs takes effect at once. */
  keyring: () => Keyring;
  send: Send;
  /** Bytes of request bodies held in memory and in temporary files, on all planes but MCP. */
  heldBytes: ByteBudget;
  idempotency: IdempotencyState;
  /** Counts and blocks of the rate limiter. */
  limiter: Limiter;
  now: () => Date;
  newId: () => string;
  random: () => number;
  log: (event: string, fields: Record<string, unknown>) => void;
  /** Records the use of a key or token in batches, off the request path. */
  markUsed: (kind: UsedTable, id: string) => void;
  /** Records a data-plane request in batches, off the request path. */
  recordRequest: (event: RequestEvent) => void;
  /** Records an evaluation. Resolves when its response may be sent. */
  recordEvaluation: (recorded: RecordedEvaluation) => Promise<void>;
  /** Resolves when the evaluations recorded before are in the database, or it is unavailable. */
  flushEvaluations: () => Promise<void>;
  /** Returns true while recorded evaluations wait for the database to become available. */
  hasHeldEvaluations: () => boolean;
  /** Evaluates content inside the program by the policy of a collector, like a request to `/v1/evaluate`. */
  evaluate: (evaluation: InternalEvaluation) => Promise<Verdict>;
  /** Address of the built-in demo upstream in this process. */
  demo_url: string;
  /** Aborted when a shutdown stops waiting for request bodies; the reason is the error to return. */
  bodyDeadline: AbortSignal;
  /** Aborted when a shutdown ends the requests that still run; upstream calls fail with its reason. */
  responseDeadline: AbortSignal;
}

export interface InternalEvaluation {
  collector_id: string;
  request: Omit<EvaluateRequest, "gateway_id" | "collector_key">;
  trace_id: string;
  client_address: string;
  user_agent: string | null;
}
