/** What both counters, in memory and in Redis, are asked and how they answer. */
import type { LimitType } from "../../contract/limits.ts";

/** One limit, and the subject it is asked for. */
export interface LimitCheck {
  /** A `spaceName`. */
  space: string;
  subject: string;
  limit: number;
  window_s: number;
  /** How many requests it counts as: 1 where it is left out. The same for all asks of a request. */
  cost?: number;
}

/** The limit to reckon with for a slot to free: a refused request of cost n needs n slots. */
export const freeingLimit = (limit: number, cost: number, admitted: boolean): number =>
  admitted ? limit : Math.max(1, limit - cost + 1);

export interface LimitUsage {
  /** Inside the window, this request included when it was admitted. */
  used: number;
  /** Milliseconds until a used slot frees that can be taken again; 0 when none is used. */
  frees_in_ms: number;
}

export interface LimitVerdict {
  /** False when one of the limits is used up: then none was charged. */
  admitted: boolean;
  /** One for each ask, in their order. */
  counts: readonly LimitUsage[];
}

/** A counter whose subjects are listed. */
export type UsageQuery = Pick<LimitCheck, "space" | "limit" | "window_s">;

/** A subject that has used something of a limit. */
export interface SubjectUsage extends LimitUsage {
  subject: string;
}

/** What a subject was charged, as far as it is still inside the window. */
export interface Charge {
  space: string;
  subject: string;
  window_s: number;
  /** `latest_ms`: when the last of `count` requests was admitted at the latest, on the steady clock. */
  slots: { latest_ms: number; count: number }[];
}

/**
 * Where subjects are counted: every gateway counts for itself, and a new window begins a new count.
 * The braces keep all of a gateway on one node of a Redis cluster.
 */
export const spaceName = (gateway_id: string, type: LimitType, window_s: number): string =>
  `portcullis:{${gateway_id}}:${type}:${window_s}:`;

/** The key that tells whether Redis still has the data of a gateway; in the same slot as its counters. */
export const epochKey = (space: string): string =>
  `${space.slice(0, space.indexOf("}") + 1)}:epoch`;
