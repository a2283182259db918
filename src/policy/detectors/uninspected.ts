/** Detector of the parts of a payload that no detector could read, so that a rule can act on them. */
import { z } from "zod";
import { UNINSPECTED_REASONS } from "../../contract/guard/evaluate.ts";
import { defineDetector } from "../detector.ts";
import { SEGMENT_SOURCES } from "../segment.ts";

const TEXTS = SEGMENT_SOURCES.filter((source) => source !== "attachment");

const Settings = z.strictObject({
  reasons: z
    .array(z.enum(UNINSPECTED_REASONS))
    .min(1)
    .default(["binary", "unreadable", "truncated", "too_many", "over_budget"])
    .describe(
      "Reasons to report. Add `media` for images, audio and video, `encrypted` for encrypted reasoning of a provider, and `not_opened` for documents that no `doc_analyzer` reads.",
    ),
});

export const uninspected = defineDetector({
  kind: "uninspected",
  title: "Content not inspected",
  summary:
    "Detects parts of a payload that no detector could read: unknown bytes, damaged or encrypted documents, content over a limit.",
  reads: { input: TEXTS, output: TEXTS },
  masks: false,
  settings: Settings,
  prepare: ({ reasons }) => {
    const enabled = new Set(reasons);
    return (_, context) =>
      context.uninspected
        .filter(({ reason }) => enabled.has(reason))
        .map(({ pointer, reason, detail }) => ({
          label: reason,
          type: "uninspected",
          confidence: 1,
          detail: { pointer, ...(detail !== undefined && { problem: detail }) },
        }));
  },
});
