/** Detector of unwanted keywords and patterns. */
import { z } from "zod";
import { compilePattern, type Pattern } from "../../lib/linear-regex/compile-pattern.ts";
import { createKeywordFinder, type FindKeywords } from "../../lib/text/keyword-finder.ts";
import { defineDetector } from "../detector.ts";
import { type LocatedMatch, resolveOverlaps, toSpans } from "../dlp/resolve-overlaps.ts";
import { dropRepeats, splitByLine } from "../dlp/split-by-line.ts";
import { inspectMessages } from "../inspect-messages.ts";
import { computeOnce, type Segment } from "../segment.ts";
import { MaskWith, PatternText } from "../setting-schemas.ts";
import { findOpenInViews, readViews } from "../views/find-open-in-views.ts";
import { foldLeetspeak } from "../views/fold-leetspeak.ts";
import { foldText, type View } from "../views/view.ts";
import { isWholeWord } from "../words/is-whole-word.ts";
import { createSimilarWordFinder, MAX_SIMILAR_CHARACTERS } from "../words/similar-word-finder.ts";

const MAX_KEYWORD_CHARACTERS = 200_000;

const Settings = z.strictObject({
  keywords: z
    .array(z.string().trim().min(1).max(200))
    .max(20_000)
    .refine(
      (keywords) => keywords.join("").length <= MAX_KEYWORD_CHARACTERS,
      `must have at most ${MAX_KEYWORD_CHARACTERS} characters in total`,
    )
    .default([])
    .describe(
      "Words and phrases, case-insensitive. They match whole words, including words with look-alike letters, invisible characters or letters written apart, encoded words, and words split between user messages in a row or parts of a message.",
    )
    .meta({ title: "Words and phrases" }),
  regex: z
    .array(PatternText)
    .max(200)
    .default([])
    .describe("Regular expressions in linear-time syntax: no look-around, no back-references.")
    .meta({ title: "Patterns" }),
  ignore_case: z
    .boolean()
    .default(true)
    .describe("Whether patterns are case-insensitive.")
    .meta({ title: "Patterns ignore upper and lower case" }),
  similarity_threshold: z
    .number()
    .min(0.7)
    .max(1)
    .default(1)
    .describe(
      "Similarity at which a misspelled keyword matches. 1: exact match. 0.8: a word of five letters may have one wrong letter. At most two letters may differ.",
    )
    .meta({ title: "Similarity" }),
  leetspeak: z
    .boolean()
    .default(true)
    .describe("Whether digits and signs inside words match the letters they resemble: `p4ssw0rd`.")
    .meta({ title: "Digits and signs match letters" }),
  mask_with: MaskWith.default("***")
    .describe("Replacement text for a match.")
    .meta({ title: "Replacement text" }),
});

interface Hit {
  rule: "keyword" | "regex";
  /** Index in the list of the settings. */
  index: number;
  confidence: number;
  start: number;
  end: number;
}
type HitFinder = (view: View) => Hit[];

export const promptModeration = defineDetector({
  kind: "prompt_moderation",
  title: "Prompt moderation",
  summary: "Detects keywords and patterns from your own list, and can mask them.",
  reads: {
    input: ["user", "assistant", "system", "tool_definition", "tool_arguments", "tool_result"],
    output: ["assistant", "tool_definition", "tool_arguments", "tool_result"],
  },
  masks: true,
  settings: Settings,
  prepare: (settings) => {
    const keywords = settings.keywords.map((keyword) => foldText(keyword).text);
    const indexes = indexKeywords(keywords);
    const findKeywords = createKeywordFinder([...indexes.keys()]);
    const wordFinders = keywords.length > 0 ? [createExactFinder(findKeywords, indexes)] : [];
    if (keywords.length > 0 && settings.similarity_threshold < 1)
      wordFinders.push(createSimilarFinder(keywords, settings.similarity_threshold));
    const patterns = settings.regex.map((source) =>
      compilePattern(source, { ignore_case: settings.ignore_case }),
    );
    const patternFinders = patterns.map(createPatternFinder);

    const mask = { text: settings.mask_with };
    const toMatches = (segment: Segment, hit: Hit): LocatedMatch[] =>
      splitByLine(segment.text, hit).map((line) => ({
        label: hit.rule,
        type: "keyreg",
        confidence: hit.confidence,
        at: { segment, ...line },
        mask,
        detail: { index: hit.index },
      }));
    const findAll = (_: string, segment: Segment) => {
      const found: LocatedMatch[] = [];
      const findIn = (view: View, finders: readonly HitFinder[]) => {
        for (const find of finders) {
          const hits = find(view);
          if (hits.length === 0) continue;
          const located = hits.map((hit) => ({ ...hit, ...view.toOriginal(hit.start, hit.end) }));
          for (const hit of dropRepeats(located)) found.push(...toMatches(segment, hit));
        }
      };
      for (const view of readViews(segment)) {
        findIn(view, wordFinders);
        findIn(view, patternFinders);
        if (!settings.leetspeak || keywords.length === 0) continue;
        for (const plain of foldLeetspeak(view)) findIn(plain, wordFinders);
      }
      return found;
    };
    const similarReach = settings.similarity_threshold < 1 ? MAX_SIMILAR_CHARACTERS : 0;
    const findOpen = (view: View, from: number) => {
      const ends = [view, ...(settings.leetspeak ? foldLeetspeak(view) : [])].map(
        ({ text }) => text.length - findKeywords(text, () => {}),
      );
      const open = patterns.map((pattern) => pattern.findOpenStart(view.exact, from));
      return Math.max(from, Math.min(view.text.length - similarReach, ...ends, ...open));
    };
    return inspectMessages((segment) => resolveOverlaps(computeOnce(segment, findAll)), {
      findOpenStart: (segment, from) => findOpenInViews(segment, from, findOpen),
      context: Math.max(MAX_SIMILAR_CHARACTERS, ...patterns.map(({ context }) => context)),
      findSpans: (segment) => toSpans(computeOnce(segment, findAll)),
    });
  },
});

/** Returns the first index of each keyword that is not empty. */
function indexKeywords(keywords: readonly string[]): ReadonlyMap<string, number> {
  const indexes = new Map<string, number>();
  for (const [index, keyword] of keywords.entries()) {
    if (keyword !== "" && !indexes.has(keyword)) indexes.set(keyword, index);
  }
  return indexes;
}

function createExactFinder(find: FindKeywords, indexes: ReadonlyMap<string, number>): HitFinder {
  const keywords = [...indexes];
  return ({ text }) => {
    const hits: Hit[] = [];
    find(text, (number, end) => {
      const [keyword = "", index = 0] = keywords[number] ?? [];
      const start = end - keyword.length;
      if (isWholeWord(text, start, end)) {
        hits.push({ rule: "keyword", index, confidence: 1, start, end });
      }
    });
    return hits;
  };
}

function createSimilarFinder(keywords: readonly string[], threshold: number): HitFinder {
  const find = createSimilarWordFinder(keywords, threshold);
  return ({ text }) =>
    find(text).map(({ keyword, similarity, start, end }) => ({
      rule: "keyword",
      index: keyword,
      confidence: similarity,
      start,
      end,
    }));
}

const createPatternFinder =
  (pattern: Pattern, index: number): HitFinder =>
  ({ exact }) =>
    pattern.findMatches(exact).map((span) => ({ rule: "regex", index, confidence: 1, ...span }));
