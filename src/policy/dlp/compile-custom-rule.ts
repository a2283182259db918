/** Compiles the custom keywords and patterns of an administrator. */
import { compilePattern } from "../../lib/linear-regex/compile-pattern.ts";
import { type MaskStyle, renderMask } from "../masking/render-mask.ts";
import { computeOnce, type Segment } from "../segment.ts";
import type { TextSpan } from "../views/source-map.ts";
import { decodeViews, foldText, type View } from "../views/view.ts";
import { isWholeWord } from "../words/is-whole-word.ts";
import type { LocatedMatch } from "./resolve-overlaps.ts";
import { dropRepeats, splitByLine } from "./split-by-line.ts";

export interface CustomRule extends MaskStyle {
  name: string;
  type: "keyword" | "regex";
  pattern: string;
}

export type CustomRuleFinder = (segment: Segment, reversible: boolean) => LocatedMatch[];

export function compileCustomRule(rule: CustomRule): CustomRuleFinder {
  const findSpans =
    rule.type === "keyword"
      ? createKeywordSpanFinder(rule.pattern)
      : createRegexFinder(rule.pattern);
  return (segment, reversible) => {
    return dropRepeats(findSpans(segment)).flatMap((span) =>
      splitByLine(segment.text, span).map(({ start, end }) => ({
        label: rule.name,
        type: "pii",
        confidence: 1,
        at: { segment, start, end },
        mask: reversible
          ? { pseudonym: toPseudonymLabel(rule.name) }
          : { text: renderMask(rule, end - start) },
      })),
    );
  };
}

type SpanFinder = (segment: Segment) => TextSpan[];

/** Returns the folded view and the decoded views of a segment. */
function readViews(segment: Segment): readonly View[] {
  const [, ...encoded] = computeOnce(segment, decodeViews);
  return [computeOnce(segment, foldText), ...encoded];
}

/** Finds a pattern in all views, and in the original text. */
function createRegexFinder(source: string): SpanFinder {
  const pattern = compilePattern(source);
  const findSpans = (text: string) =>
    pattern.findMatches(text).filter(({ start, end }) => end > start);
  return (segment) => {
    const read = readViews(segment).flatMap(({ exact, toOriginal }) =>
      findSpans(exact).map(({ start, end }) => toOriginal(start, end)),
    );
    return computeOnce(segment, foldText).exact === segment.text
      ? read
      : [...read, ...findSpans(segment.text)];
  };
}

/** Finds whole words, ignoring case. */
function createKeywordSpanFinder(pattern: string): SpanFinder {
  const keyword = foldText(pattern.trim()).text;
  const findSpans = ({ text, toOriginal }: View) => {
    const spans: TextSpan[] = [];
    for (let at = text.indexOf(keyword); at >= 0; at = text.indexOf(keyword, at + keyword.length)) {
      const end = at + keyword.length;
      if (isWholeWord(text, at, end)) spans.push(toOriginal(at, end));
    }
    return spans;
  };
  return (segment) => readViews(segment).flatMap(findSpans);
}

const toPseudonymLabel = (name: string) => name.toUpperCase().replace(/[^\p{L}\p{N}]+/gu, "_");
