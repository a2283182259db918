/** What an administrator's own words and patterns find. */
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

export type CustomRuleFinder = (of: Segment, reversible: boolean) => LocatedMatch[];

export function compileCustomRule(rule: CustomRule): CustomRuleFinder {
  const spansIn =
    rule.type === "keyword"
      ? createKeywordSpanFinder(rule.pattern)
      : createRegexFinder(rule.pattern);
  return (of, reversible) => {
    return dropRepeats(spansIn(of)).flatMap((span) =>
      splitByLine(of.text, span).map(({ start, end }) => ({
        label: rule.name,
        type: "pii",
        confidence: 1,
        at: { segment: of, start, end },
        mask: reversible
          ? { pseudonym: toPseudonymLabel(rule.name) }
          : { text: renderMask(rule, end - start) },
      })),
    );
  };
}

type SpanFinder = (of: Segment) => TextSpan[];

/** In plain characters, so that an invisible one inside a word hides nothing, and what is encoded. */
function readViews(of: Segment): readonly View[] {
  const [, ...encoded] = computeOnce(of, decodeViews);
  return [computeOnce(of, foldText), ...encoded];
}

/** Also in the text as it is. */
function createRegexFinder(source: string): SpanFinder {
  const pattern = compilePattern(source);
  const spansIn = (text: string) =>
    pattern.findMatches(text).filter(({ start, end }) => end > start);
  return (of) => {
    const read = readViews(of).flatMap(({ exact, toOriginal }) =>
      spansIn(exact).map(({ start, end }) => toOriginal(start, end)),
    );
    return computeOnce(of, foldText).exact === of.text ? read : [...read, ...spansIn(of.text)];
  };
}

/** Whole words, in any case. */
function createKeywordSpanFinder(written: string): SpanFinder {
  const wanted = foldText(written.trim()).text;
  const spansIn = ({ text, toOriginal }: View) => {
    const spans: TextSpan[] = [];
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
      const end = at + wanted.length;
      if (isWholeWord(text, at, end)) spans.push(toOriginal(at, end));
    }
    return spans;
  };
  return (of) => readViews(of).flatMap(spansIn);
}

const toPseudonymLabel = (name: string) => name.toUpperCase().replace(/[^\p{L}\p{N}]+/gu, "_");
