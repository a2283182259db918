/** Counts the responses of the program since its start. */
import type { Plane } from "../../contract/endpoint.ts";
import { ERRORS } from "../../contract/errors.ts";
import { type Counts, newCounts, STATUS_CLASSES } from "../../lib/metrics.ts";

export interface ResponseCounts {
  /** By status class. */
  statuses: Record<Plane, Counts>;
  /** By error code. */
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
