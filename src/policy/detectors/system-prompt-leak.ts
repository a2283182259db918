/** Detector of output that repeats the system prompt of its request. */
import { z } from "zod";
import { createLruCache } from "../../lib/lru-cache.ts";
import { defineDetector, type InspectionContext, type Inspector, type Match } from "../detector.ts";
import { type LocatedMatch, resolveOverlaps } from "../dlp/resolve-overlaps.ts";
import { dropRepeats, splitByLine } from "../dlp/split-by-line.ts";
import { inspectAll } from "../inspect-texts.ts";
import { createGramSet } from "../leak/gram-set.ts";
import {
  createCanaryFinder,
  createLeakScan,
  type Leak,
  readLetterString,
} from "../leak/leak-scan.ts";
import { isSystemPrompt } from "../payload/system-prompt.ts";
import { computeOnce, type Segment } from "../segment.ts";
import { Level, MaskWith, type ReportLevel } from "../setting-schemas.ts";

const MIN_CANARY_LETTERS = 8;

const Settings = z.strictObject({
  level: Level.default("balanced").describe(
    "How much may be repeated: `strict` about 9 words in a row, `balanced` about 24 or 40 % of a short system prompt, `permissive` about 48 or 80 %.",
  ),
  threshold: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe(
      "Repeated share of the system prompt, or of 60 words of it if it is longer, instead of a level. Less than about 8 words in a row is never reported. 0 reports every text with its share.",
    ),
  canaries: z
    .array(
      z
        .string()
        .max(200)
        .refine(
          (text) => readLetterString(text).length >= MIN_CANARY_LETTERS,
          `must contain at least ${MIN_CANARY_LETTERS} letters or digits`,
        ),
    )
    .max(100)
    .default([])
    .describe(
      "Random strings that you put into system prompts or documents. They are always reported, also without a system prompt.",
    ),
  allow_list: z
    .array(z.string().min(1).max(10_000))
    .max(100)
    .default([])
    .describe(
      "Parts of system prompts that the output may repeat, such as a greeting or a disclaimer.",
    ),
  mask_with: MaskWith.default("[SYSTEM_PROMPT]").describe(
    "Replacement text, for each line of a match.",
  ),
});

/** Shares of the prompt, or of `MAX_BASE_LETTERS`. */
const THRESHOLDS: Readonly<Record<ReportLevel, number>> = {
  permissive: 0.8,
  balanced: 0.4,
  strict: 0.15,
};
/** About 60 words: a part of a long prompt is a leak as well. */
const MAX_BASE_LETTERS = 300;
/** About 8 words: less is repeated by chance, or is a name. */
const MIN_LETTERS = 40;
/** Bounds the memory of cached prompts to about 16 MiB. */
const MAX_CACHED_LETTERS = 500_000;

export const systemPromptLeak = defineDetector({
  kind: "system_prompt_leak",
  title: "System prompt leak",
  summary:
    "Detects output that repeats the system prompt of its request, also reworded lightly, spaced, backward or encoded, and can mask it.",
  reads: { input: [], output: ["assistant", "tool_arguments"] },
  masks: true,
  comparesSystemPrompt: true,
  settings: Settings,
  prepare: ({ level, threshold = THRESHOLDS[level], canaries, allow_list, mask_with }) => {
    const findCanaries = createCanaryFinder(canaries);
    const allowed = createGramSet(allow_list);
    const cached = createLruCache<PromptScan>(MAX_CACHED_LETTERS);
    /** By the list that all texts of a response share. */
    const current = new WeakMap<readonly string[], PromptScan>();

    function createScan(texts: readonly string[]): PromptScan {
      const { letters, has } = createGramSet(texts);
      const isRepeated = (hash: number) => has(hash) && !allowed.has(hash);
      const isComparable = letters >= MIN_LETTERS;
      return {
        // Not 0, so that the share of an unknown prompt is a number.
        base: Math.max(1, Math.min(letters, MAX_BASE_LETTERS)),
        letters,
        scan: createLeakScan(isComparable ? isRepeated : undefined, findCanaries),
      };
    }
    function findScan({ system_prompt }: InspectionContext): PromptScan {
      const known = current.get(system_prompt);
      if (known) return known;
      const key = JSON.stringify(system_prompt);
      const scan = cached.get(key) ?? createScan(system_prompt);
      cached.set(key, scan, scan.letters + 1);
      current.set(system_prompt, scan);
      return scan;
    }

    const toMatches = (segment: Segment, leak: Leak, share: number): LocatedMatch[] =>
      splitByLine(segment.text, leak).map((line) => ({
        label: leak.canary === undefined ? "repeated_prompt" : "canary",
        type: "system_prompt_leak",
        confidence: leak.canary === undefined ? share : 1,
        at: { segment, ...line },
        mask: { text: mask_with },
        ...(leak.canary !== undefined && { detail: { index: leak.canary } }),
      }));
    const inspectSegment = (segment: Segment, { scan, base }: PromptScan): readonly Match[] => {
      const { leaks } = computeOnce(segment, scan);
      const shareOf = ({ repeated }: Leak) => Math.min(1, repeated / base);
      if (threshold === 0) {
        const whole: Leak = { start: 0, end: segment.text.length, repeated: 0 };
        const most = leaks.reduce(
          (one, other) => (other.repeated > one.repeated ? other : one),
          whole,
        );
        return toMatches(segment, most, shareOf(most));
      }
      const isReported = (leak: Leak) =>
        leak.canary !== undefined || (leak.repeated >= MIN_LETTERS && shareOf(leak) >= threshold);
      const reported = dropRepeats(leaks.filter(isReported));
      return resolveOverlaps(reported.flatMap((leak) => toMatches(segment, leak, shareOf(leak))));
    };
    const inspect: Inspector = (texts, context) => {
      const scan = findScan(context);
      const inspectText = (segment: Segment) =>
        isSystemPrompt(segment) ? [] : inspectSegment(segment, scan);
      return inspectAll(texts, inspectText, context);
    };
    // The highest share is not known before the end of the text.
    if (threshold === 0) return inspect;
    return Object.assign(inspect, {
      partial: {
        findOpenStart: (segment: Segment, _: number, context: InspectionContext) =>
          computeOnce(segment, findScan(context).scan).open,
        context: 0,
      },
    });
  },
});

/** A system prompt, prepared for comparison. */
interface PromptScan {
  scan: ReturnType<typeof createLeakScan>;
  letters: number;
  /** Number of repeated letters that counts as all of it. */
  base: number;
}
