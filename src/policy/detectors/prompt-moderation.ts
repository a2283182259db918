/** Finds the words and patterns that an organization does not want to see. */
import { z } from "zod";
import { compilePattern } from "../../lib/linear-regex/compile-pattern.ts";
import { createKeywordFinder } from "../../lib/text/keyword-finder.ts";
import { defineDetector, inspectEach } from "../detector.ts";
import { type LocatedMatch, resolveOverlaps } from "../dlp/resolve-overlaps.ts";
import { dropRepeats, splitByLine } from "../dlp/split-by-line.ts";
import { computeOnce, type Segment } from "../segment.ts";
import { MaskWith, PatternText } from "../shared-settings.ts";
import { decodeViews, foldLeetspeak, foldText, type View } from "../views/view.ts";
import { isWholeWord } from "../words/is-whole-word.ts";
import { createSimilarWordFinder } from "../words/similar-word-finder.ts";

const MAX_KEYWORD_CHARACTERS = 200_000;

const Settings = z.strictObject({
  keywords: z
    .array(z.string().trim().min(1).max(200))
    .max(20_000)
    .refine(
      (keywords) => keywords.join("").length <= MAX_KEYWORD_CHARACTERS,
      `must have at most ${MAX_KEYWORD_CHARACTERS} characters together`,
    )
    .default([])
    .describe(
      "Words and phrases, in any case. They match whole words, also in look-alike letters, with invisible characters inside, or encoded.",
    ),
  regex: z
    .array(PatternText)
    .max(200)
    .default([])
    .describe(
      "Patterns, in the syntax that runs in linear time: no look-around, no back-reference.",
    ),
  ignore_case: z
    .boolean()
    .default(true)
    .describe("Whether patterns take upper and lower case for the same."),
  similarity_threshold: z
    .number()
    .min(0.7)
    .max(1)
    .default(1)
    .describe(
      "How much of a keyword must be there, for misspelt ones. 1: all of it. 0.8: a word of five letters may have one wrong. At most two letters may differ.",
    ),
  leetspeak: z
    .boolean()
    .default(true)
    .describe(
      "Whether digits and signs inside words count as the letters they look like: `p4ssw0rd`.",
    ),
  mask_with: MaskWith.default("***").describe("What is written in place of a match."),
});

interface Hit {
  rule: "keyword" | "regex";
  /** Its place in the list of the settings. */
  index: number;
  confidence: number;
  start: number;
  end: number;
}
type HitFinder = (view: View) => Hit[];

export const promptModeration = defineDetector({
  kind: "prompt_moderation",
  title: "Prompt moderation",
  summary: "Finds words and patterns of your own list, and can mask them.",
  reads: {
    input: ["user", "assistant", "system", "tool_definition", "tool_arguments", "tool_result"],
    output: ["assistant", "tool_definition", "tool_arguments", "tool_result"],
  },
  masks: true,
  settings: Settings,
  prepare: (settings) => {
    const keywords = settings.keywords.map((keyword) => foldText(keyword).text);
    const inWords = [createExactFinder(keywords)];
    if (settings.similarity_threshold < 1)
      inWords.push(createSimilarFinder(keywords, settings.similarity_threshold));
    const inText = settings.regex.map((source, index) =>
      createPatternFinder(source, index, settings.ignore_case),
    );

    const placed = (of: Segment, hit: Hit): LocatedMatch[] =>
      splitByLine(of.text, hit).map(({ start, end }) => ({
        label: hit.rule,
        type: "keyreg",
        confidence: hit.confidence,
        at: { segment: of, start, end },
        mask: { text: settings.mask_with },
        detail: { index: hit.index },
      }));
    const inspect = (of: Segment) => {
      const [, ...encoded] = computeOnce(of, decodeViews);
      const found: LocatedMatch[] = [];
      const look = (at: View, finders: readonly HitFinder[]) => {
        for (const find of finders) {
          const hits = find(at);
          if (hits.length === 0) continue;
          const there = hits.map((hit) => ({ ...hit, ...at.toOriginal(hit.start, hit.end) }));
          for (const hit of dropRepeats(there)) found.push(...placed(of, hit));
        }
      };
      for (const view of [computeOnce(of, foldText), ...encoded]) {
        look(view, inWords);
        look(view, inText);
        const plain = settings.leetspeak && keywords.length > 0 ? foldLeetspeak(view) : view;
        if (plain !== view) look(plain, inWords);
      }
      return resolveOverlaps(found);
    };
    return inspectEach(inspect);
  },
});

function createExactFinder(keywords: readonly string[]): HitFinder {
  const distinct = [...new Set(keywords)].filter((keyword) => keyword !== "");
  const indexOf = distinct.map((keyword) => keywords.indexOf(keyword));
  const find = createKeywordFinder(distinct);
  return ({ text }) => {
    const hits: Hit[] = [];
    find(text, (number, end) => {
      const start = end - (distinct[number]?.length ?? 0);
      if (!isWholeWord(text, start, end)) return;
      hits.push({ rule: "keyword", index: indexOf[number] ?? 0, confidence: 1, start, end });
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

function createPatternFinder(source: string, index: number, ignore_case: boolean): HitFinder {
  const compiled = compilePattern(source, { ignore_case });
  return ({ exact }) =>
    compiled.findMatches(exact).map((span) => ({ rule: "regex", index, confidence: 1, ...span }));
}
