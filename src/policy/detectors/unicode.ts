/** Detector of invisible text and look-alike letters. */
import { z } from "zod";
import { defineDetector, type Match } from "../detector.ts";
import { inspectEach } from "../inspect-texts.ts";
import { computeOnce, SEGMENT_SOURCES, type Segment } from "../segment.ts";
import { Threshold } from "../setting-schemas.ts";
import {
  BIDI_RADIUS,
  findHiddenText,
  findOpenDirection,
  HIDDEN_KINDS,
} from "../unicode/find-hidden-text.ts";

const Settings = z.strictObject({
  kinds: z
    .array(z.enum(HIDDEN_KINDS))
    .default([...HIDDEN_KINDS])
    .describe("Kinds of hidden text to detect."),
  threshold: Threshold.describe(
    "Minimum confidence of a match. At 0.5, merely unusual characters are detected too.",
  ),
});

export const unicode = defineDetector({
  kind: "unicode",
  title: "Hidden text",
  summary:
    "Detects invisible characters, reversed text, hidden bytes and look-alike letters. Transform removes them.",
  reads: { input: SEGMENT_SOURCES, output: SEGMENT_SOURCES },
  masks: true,
  settings: Settings,
  prepare: ({ kinds, threshold }) => {
    const enabled = new Set(kinds);
    const inspect = (segment: Segment): Match[] =>
      computeOnce(segment, findHiddenText)
        .filter(({ kind, confidence }) => enabled.has(kind) && confidence >= threshold)
        .map(({ kind, confidence, start, end, visibleText }) => ({
          label: kind,
          type: "hidden_text",
          confidence,
          at: { segment, start, end },
          mask: { text: visibleText },
        }));
    return inspectEach(inspect, {
      findOpenStart: ({ text }) => findOpenDirection(text),
      context: BIDI_RADIUS,
    });
  },
});
