/** How did the program answer since it started? Counted where every request passes. */
import type { Plane } from "../../contract/endpoint.ts";
import { ERRORS } from "../../contract/errors.ts";
import { type Counts, newCounts, STATUS_CLASSES } from "../../lib/metrics.ts";

export interface ResponseCounts {
  /** By class of status. */
  statuses: Record<Plane, Counts>;
  /** By code. */
  errors: Counts;
}

export const newResponseCounts = (): ResponseCounts => ({
  statuses: {
    admin: newCounts(STATUS_CLASSES),
    gateway: newCounts(STATUS_CLASSES),
    guard: newCounts(STATUS_CLASSES),
    mcp: newCounts(STATUS_CLASSES),
  },
  errors: newCounts(Object.keys(ERRORS)),
});
