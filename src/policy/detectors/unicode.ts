/** Finds text that is there for machines and not for readers, and letters that are not what they look like. */
import { z } from "zod";
import { detector, type Match, textByText } from "../detector.ts";
import { once, type Segment, SOURCES } from "../segment.ts";
import { Threshold } from "../threshold.ts";
import { HIDDEN_KINDS, hiddenText } from "../unicode/hidden-text.ts";

const Settings = z.strictObject({
  kinds: z
    .array(z.enum(HIDDEN_KINDS))
    .default([...HIDDEN_KINDS])
    .describe("What to look for."),
  threshold: Threshold.describe(
    "How sure a match must be. At 0.5 what is merely unusual is found too.",
  ),
});

export const unicode = detector({
  kind: "unicode",
  title: "Hidden text",
  summary:
    "Invisible characters, reversed text, smuggled bytes and look-alike letters. Transform removes them.",
  reads: { input: SOURCES, output: SOURCES },
  masks: true,
  settings: Settings,
  prepare: ({ kinds, threshold }) => {
    const wanted = new Set(kinds);
    const inspect = (segment: Segment): Match[] =>
      once(segment, hiddenText)
        .filter(({ kind, confidence }) => wanted.has(kind) && confidence >= threshold)
        .map(({ kind, confidence, start, end, reads }) => ({
          label: kind,
          type: "hidden_text",
          confidence,
          at: { segment, start, end },
          mask: { text: reads },
        }));
    return textByText(inspect);
  },
});
