/** Text that programs write contains numbers that resemble personal data. Masking them would corrupt it. */
import { expect, test } from "bun:test";
import type { InspectionContext, Match } from "../../src/policy/detector.ts";
import { dataLossPrevention } from "../../src/policy/detectors/data-loss-prevention.ts";
import { createSegment } from "../../src/policy/segment.ts";
import { seeded } from "../kit/random.ts";
import { writeIdTables, writeLogs } from "./machine-text.ts";

const CHARACTERS = 1_000_000;
const MAX_FALSE_POSITIVES = 5;

test.each([
  ["logs", writeLogs],
  ["tables of identifiers", writeIdTables],
])("%s of a million characters have at most five false positives", (_, write) => {
  const text = write(seeded(17), CHARACTERS);
  const inspect = dataLossPrevention.prepare({});

  const matches = inspect(
    [createSegment(text, "tool_result", { pointer: "/result" })],
    {} as InspectionContext,
  ) as Match[];

  const found = matches.map(({ label, at }) => `${label}=${text.slice(at?.start, at?.end)}`);
  expect(found.slice(MAX_FALSE_POSITIVES)).toEqual([]);
});
