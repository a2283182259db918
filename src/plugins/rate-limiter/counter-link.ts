/** Connection to counters that other processes share: Redis, or the supervisor of a group of workers. */
import type { LimitCheck, LimitVerdict, SubjectUsage, UsageQuery } from "./counter.ts";

/** Every call returns undefined while the shared counters are unavailable. */
export interface CounterLink {
  /** Checks and charges. Also returns undefined while the data of the counters is incomplete. */
  take(checks: readonly LimitCheck[]): Promise<LimitVerdict | undefined>;
  /** Returns the same verdict and charges nothing. */
  check(checks: readonly LimitCheck[]): Promise<LimitVerdict | undefined>;
  /** Returns the subjects of a space that have usage, in no order; incomplete when there are too many. */
  listUsage(query: UsageQuery): Promise<UsageList | undefined>;
  /** Returns false when the subject had no usage. */
  forget(space: string, subject: string): Promise<boolean | undefined>;
  isUnavailable(): boolean;
  stop(): void;
}

export interface UsageList {
  items: SubjectUsage[];
  complete: boolean;
}
