/** Caps the total cost of the documents of one evaluation: time, decompressed bytes and characters. */
import { documentProblem } from "./document-problem.ts";
import { createTimeSlicer, type TimeSlicer } from "./time-slicer.ts";

export interface ReadingBudget {
  slicer: TimeSlicer;
  /** Remaining decompressed bytes. */
  bytes: number;
  /** Remaining characters of text. */
  characters: number;
}

export const createReadingBudget = (): ReadingBudget => ({
  slicer: createTimeSlicer(MAX_WORK_MS),
  bytes: MAX_BYTES,
  characters: MAX_CHARACTERS,
});

export const MAX_CHARACTERS = 2_000_000;
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_WORK_MS = 4000;

/** Subtracts `bytes` of decompressed data from the budget. */
export function spendBytes(budget: ReadingBudget, bytes: number): void {
  budget.bytes -= bytes;
  if (budget.bytes < 0) throw overBudgetError();
}

export const overBudgetError = () =>
  documentProblem(
    `The documents decompress to more than ${MAX_BYTES / 1024 / 1024} MiB together.`,
    "over_budget",
  );
