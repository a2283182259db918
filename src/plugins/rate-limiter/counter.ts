/** Types and names shared by the counters in memory and in Redis. */
import type { LimitType } from "../../contract/gateway/limits.ts";

/** One limit, and the subject to check it for. */
export interface LimitCheck {
  /** Result of `spaceName`. */
  space: string;
  subject: string;
  limit: number;
  window_s: number;
  /** Number of requests that it counts as; 1 by default. The same for all checks of a request. */
  cost?: number;
}

/** Returns the limit below which usage must fall for the next admission: a rejected request of cost n needs n slots. */
export const freeingLimit = (limit: number, cost: number, admitted: boolean): number =>
  admitted ? limit : Math.max(1, limit - cost + 1);

export interface LimitUsage {
  /** Requests inside the window, including this one when it was admitted. */
  used: number;
  /** Milliseconds until a slot becomes available; 0 when none is used. */
  frees_in_ms: number;
}

export interface LimitVerdict {
  /** False when a limit is exceeded; then none was charged. */
  admitted: boolean;
  /** One per check, in the same order. */
  counts: readonly LimitUsage[];
}

/** Selects the counter whose subjects are listed. */
export type UsageQuery = Pick<LimitCheck, "space" | "limit" | "window_s">;

/** A subject with usage under a limit. */
export interface SubjectUsage extends LimitUsage {
  subject: string;
}

/** Charges of a subject that are still inside the window. */
export interface Charge {
  space: string;
  subject: string;
  window_s: number;
  /** `latest_ms`: upper bound of the admission time of the last of `count` requests, on the monotonic clock. */
  slots: { latest_ms: number; count: number }[];
}

/**
 * Returns the key prefix of the subjects of a limit. Gateways are counted separately, and a changed window starts a new
 * count. The braces are a Redis hash tag: all keys of a gateway are on one node of a cluster.
 */
export const spaceName = (gateway_id: string, type: LimitType, window_s: number): string =>
  `portcullis:{${gateway_id}}:${type}:${window_s}:`;

/** Returns the key that shows whether Redis still has the data of a gateway; in the same slot as its counters. */
export const epochKey = (space: string): string =>
  `${space.slice(0, space.indexOf("}") + 1)}:epoch`;
