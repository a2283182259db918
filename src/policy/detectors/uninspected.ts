/** Finds the parts of a payload that no detector could read, so that a rule can act on them. */
import { z } from "zod";
import { UNINSPECTED_REASONS } from "../../contract/evaluate.ts";
import { defineDetector } from "../detector.ts";
import { SEGMENT_SOURCES } from "../segment.ts";

const TEXTS = SEGMENT_SOURCES.filter((source) => source !== "attachment");

const Settings = z.strictObject({
  reasons: z
    .array(z.enum(UNINSPECTED_REASONS))
    .min(1)
    .default(["binary", "unreadable", "truncated", "too_many", "over_budget"])
    .describe(
      "Which parts are found. Add `media` for pictures, sounds and films, `encrypted` for the sealed reasoning of a provider, and `not_opened` for documents where no other rule reads attachments.",
    ),
});

export const uninspected = defineDetector({
  kind: "uninspected",
  title: "Content not inspected",
  summary:
    "Parts of a payload that no detector could read: unknown bytes, damaged or encrypted documents, what exceeds a limit.",
  reads: { input: TEXTS, output: TEXTS },
  masks: false,
  settings: Settings,
  prepare: ({ reasons }) => {
    const wanted = new Set(reasons);
    return (_, surroundings) =>
      surroundings.uninspected
        .filter(({ reason }) => wanted.has(reason))
        .map(({ pointer, reason, detail }) => ({
          label: reason,
          type: "uninspected",
          confidence: 1,
          detail: { pointer, ...(detail !== undefined && { problem: detail }) },
        }));
  },
});
