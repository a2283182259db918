/** Finds text that is there for machines and not for readers, and letters that are not what they look like. */
import { z } from "zod";
import { defineDetector, inspectEach, type Match } from "../detector.ts";
import { computeOnce, SEGMENT_SOURCES, type Segment } from "../segment.ts";
import { Threshold } from "../shared-settings.ts";
import { findHiddenText, HIDDEN_KINDS } from "../unicode/find-hidden-text.ts";

const Settings = z.strictObject({
  kinds: z
    .array(z.enum(HIDDEN_KINDS))
    .default([...HIDDEN_KINDS])
    .describe("What to look for."),
  threshold: Threshold.describe(
    "How sure a match must be. At 0.5 what is merely unusual is found too.",
  ),
});

export const unicode = defineDetector({
  kind: "unicode",
  title: "Hidden text",
  summary:
    "Invisible characters, reversed text, smuggled bytes and look-alike letters. Transform removes them.",
  reads: { input: SEGMENT_SOURCES, output: SEGMENT_SOURCES },
  masks: true,
  settings: Settings,
  prepare: ({ kinds, threshold }) => {
    const wanted = new Set(kinds);
    const inspect = (segment: Segment): Match[] =>
      computeOnce(segment, findHiddenText)
        .filter(({ kind, confidence }) => wanted.has(kind) && confidence >= threshold)
        .map(({ kind, confidence, start, end, visibleText }) => ({
          label: kind,
          type: "hidden_text",
          confidence,
          at: { segment, start, end },
          mask: { text: visibleText },
        }));
    return inspectEach(inspect);
  },
});
