/** Finds the words and patterns that an organization does not want to see. */
import { z } from "zod";
import { compilePattern } from "../../lib/linear-regex/compile-pattern.ts";
import { createKeywordFinder } from "../../lib/text/keyword-finder.ts";
import { detector, textByText } from "../detector.ts";
import { linesOf, withoutRepeats } from "../dlp/lines-of.ts";
import { type Placed, withoutOverlaps } from "../dlp/without-overlaps.ts";
import { MaskWith } from "../mask-settings.ts";
import { PatternText } from "../pattern-text.ts";
import { once, type Segment } from "../segment.ts";
import { similarWords } from "../similar-words.ts";
import { decoded, folded, unleet, type View } from "../views.ts";
import { isWhole } from "../whole-words.ts";

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
type FindHits = (view: View) => Hit[];

export const promptModeration = detector({
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
    const keywords = settings.keywords.map((keyword) => folded(keyword).text);
    const inWords = [exactly(keywords)];
    if (settings.similarity_threshold < 1)
      inWords.push(nearly(keywords, settings.similarity_threshold));
    const inText = settings.regex.map((source, index) =>
      pattern(source, index, settings.ignore_case),
    );

    const placed = (of: Segment, hit: Hit): Placed[] =>
      linesOf(of.text, hit).map(({ start, end }) => ({
        label: hit.rule,
        type: "keyreg",
        confidence: hit.confidence,
        at: { segment: of, start, end },
        mask: { text: settings.mask_with },
        detail: { index: hit.index },
      }));
    const inspect = (of: Segment) => {
      const [, ...encoded] = once(of, decoded);
      const found: Placed[] = [];
      const look = (at: View, finders: readonly FindHits[]) => {
        for (const find of finders) {
          const hits = find(at);
          if (hits.length === 0) continue;
          const there = hits.map((hit) => ({ ...hit, ...at.span(hit.start, hit.end) }));
          for (const hit of withoutRepeats(there)) found.push(...placed(of, hit));
        }
      };
      for (const view of [once(of, folded), ...encoded]) {
        look(view, inWords);
        look(view, inText);
        const plain = settings.leetspeak && keywords.length > 0 ? unleet(view) : view;
        if (plain !== view) look(plain, inWords);
      }
      return withoutOverlaps(found);
    };
    return textByText(inspect);
  },
});

function exactly(keywords: readonly string[]): FindHits {
  const distinct = [...new Set(keywords)].filter((keyword) => keyword !== "");
  const indexOf = distinct.map((keyword) => keywords.indexOf(keyword));
  const find = createKeywordFinder(distinct);
  return ({ text }) => {
    const hits: Hit[] = [];
    find(text, (number, end) => {
      const start = end - (distinct[number]?.length ?? 0);
      if (!isWhole(text, start, end)) return;
      hits.push({ rule: "keyword", index: indexOf[number] ?? 0, confidence: 1, start, end });
    });
    return hits;
  };
}

function nearly(keywords: readonly string[], threshold: number): FindHits {
  const find = similarWords(keywords, threshold);
  return ({ text }) =>
    find(text).map(({ wanted, similarity, start, end }) => ({
      rule: "keyword",
      index: wanted,
      confidence: similarity,
      start,
      end,
    }));
}

function pattern(source: string, index: number, ignore_case: boolean): FindHits {
  const compiled = compilePattern(source, { ignore_case });
  return ({ exact }) =>
    compiled.findMatches(exact).map((span) => ({ rule: "regex", index, confidence: 1, ...span }));
}
