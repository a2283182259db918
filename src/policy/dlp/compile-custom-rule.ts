/** Compiles the custom keywords and patterns of an administrator. */
import { compilePattern } from "../../lib/linear-regex/compile-pattern.ts";
import { createKeywordFinder } from "../../lib/text/keyword-finder.ts";
import type { PartialInspection } from "../detector.ts";
import { type MaskStyle, renderMask } from "../masking/render-mask.ts";
import { computeOnce, type Segment } from "../segment.ts";
import { findOpenInViews, readViews } from "../views/find-open-in-views.ts";
import type { TextSpan } from "../views/source-map.ts";
import { foldText, type View } from "../views/view.ts";
import { isWholeWord } from "../words/is-whole-word.ts";
import type { LocatedMatch } from "./resolve-overlaps.ts";
import { dropRepeats, splitByLine } from "./split-by-line.ts";

export interface CustomRule extends MaskStyle {
  name: string;
  type: "keyword" | "regex";
  pattern: string;
}

export interface CompiledCustomRule {
  find: (segment: Segment, reversible: boolean) => LocatedMatch[];
  partial: PartialInspection;
}

export function compileCustomRule(rule: CustomRule): CompiledCustomRule {
  const { findSpans, partial } =
    rule.type === "keyword"
      ? createKeywordSpanFinder(rule.pattern)
      : createRegexFinder(rule.pattern);
  const find: CompiledCustomRule["find"] = (segment, reversible) =>
    dropRepeats(findSpans(segment)).flatMap((span) =>
      splitByLine(segment.text, span).map((line) => ({
        label: rule.name,
        type: "pii",
        confidence: 1,
        at: { segment, ...line },
        mask: reversible
          ? { pseudonym: toPseudonymLabel(rule.name) }
          : { text: renderMask(rule, line.end - line.start) },
      })),
    );
  return { find, partial };
}

interface SpanFinder {
  findSpans: (segment: Segment) => TextSpan[];
  partial: PartialInspection;
}

/** Finds a pattern in all views, and in the original text. */
function createRegexFinder(source: string): SpanFinder {
  const pattern = compilePattern(source);
  const findSpans = (text: string) =>
    pattern.findMatches(text).filter(({ start, end }) => end > start);
  const find = (segment: Segment) => {
    const read = readViews(segment).flatMap(({ exact, toOriginal }) =>
      findSpans(exact).map(({ start, end }) => toOriginal(start, end)),
    );
    return computeOnce(segment, foldText).exact === segment.text
      ? read
      : [...read, ...findSpans(segment.text)];
  };
  return {
    findSpans: find,
    partial: {
      findOpenStart: (segment, from) =>
        Math.min(
          findOpenInViews(segment, from, ({ exact }, at) => pattern.findOpenStart(exact, at)),
          pattern.findOpenStart(segment.text, from),
        ),
      context: pattern.context,
    },
  };
}

/** Finds whole words, ignoring case. */
function createKeywordSpanFinder(pattern: string): SpanFinder {
  const keyword = foldText(pattern.trim()).text;
  const findSpans = ({ text, toOriginal }: View) => {
    const spans: TextSpan[] = [];
    for (let at = text.indexOf(keyword); at >= 0; ) {
      const end = at + keyword.length;
      const isMatch = isWholeWord(text, at, end);
      if (isMatch) spans.push(toOriginal(at, end));
      at = text.indexOf(keyword, isMatch ? end : at + 1);
    }
    return spans;
  };
  const findBeginning = createKeywordFinder([keyword]);
  return {
    findSpans: (segment) => readViews(segment).flatMap(findSpans),
    partial: {
      findOpenStart: (segment, from) =>
        findOpenInViews(segment, from, ({ text }) => text.length - findBeginning(text, () => {})),
      context: 1,
    },
  };
}

const toPseudonymLabel = (name: string) => name.toUpperCase().replace(/[^\p{L}\p{N}]+/gu, "_");
