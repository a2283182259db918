/** Services and state of the running program, built once by `start()` and passed to every operation. */

import type { RequestEvent } from "./contract/gateway/requests.ts";
import type { Credentials } from "./credentials/credentials.ts";
import type { Db } from "./db/db.ts";
import type { RecordedEvaluation } from "./db/tables/evaluation-events.ts";
import type { UsedTable } from "./db/tables/last-used.ts";
import type {
  Evaluation,
  EvaluationContext,
  InternalEvaluation,
  ResponseGuard,
  WaitForApproval,
} from "./evaluation.ts";
import type { ByteBudget } from "./lib/concurrency/byte-budget.ts";
import type { WorkMeter } from "./lib/concurrency/fair-turns.ts";
import type { Keyring } from "./lib/crypto/seal.ts";
import type { Send } from "./net/send.ts";
import type { Limiter } from "./plugins/rate-limiter/limiter.ts";
import type { Scores } from "./policy/policy-run.ts";
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
  /** Credentials of registries with a cloud identity. */
  credentials: Credentials;
  /** Bytes of request bodies held in memory and in temporary files, on the data plane and for evaluations. */
  heldBytes: ByteBudget;
  /** Bytes of request bodies of the admin API. */
  adminBytes: ByteBudget;
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
  /** Counts a data-plane request in the statistics, without recording it. */
  countRequest: (event: RequestEvent) => void;
  /** Resolves when the counts of requests and evaluations so far are in the database, or it is unavailable. */
  flushTraffic: () => Promise<void>;
  /** Records an evaluation. Resolves when its response may be sent. */
  recordEvaluation: (recorded: RecordedEvaluation) => Promise<void>;
  /** Counts the scores of an evaluation by detector id, off the request path. */
  recordScores: (recorded: { collector_id: string; event_id: string; scores: Scores }) => void;
  /** Resolves when the evaluations and scores recorded before are in the database, or it is unavailable. */
  flushEvaluations: () => Promise<void>;
  /** Returns true while recorded evaluations wait for the database to become available. */
  hasHeldEvaluations: () => boolean;
  /** Evaluates content inside the program by the policy of a collector, like a request to `/v1/evaluate`. */
  evaluate: (evaluation: InternalEvaluation) => Promise<Evaluation>;
  /** Prepares the evaluation of a response that arrives in parts, whose time `work` counts. */
  openResponseGuard: (context: EvaluationContext, work: WorkMeter) => ResponseGuard;
  /** Waits until an approval is decided, at most `ms`. Rejects with the reason of `signal`. */
  waitForApproval: WaitForApproval;
  /** Address of the built-in demo upstream in this process. */
  demo_url: string;
  /** Aborted when a shutdown stops waiting for request bodies; the reason is the error to return. */
  bodyDeadline: AbortSignal;
  /** Aborted when a shutdown ends the requests that still run; upstream calls fail with its reason. */
  responseDeadline: AbortSignal;
}
