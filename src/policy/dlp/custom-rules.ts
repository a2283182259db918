/** What an administrator's own words and patterns find. */
import { compilePattern } from "../../lib/pattern.ts";
import { type Masking, maskText } from "../mask-text.ts";
import { once, type Segment } from "../segment.ts";
import { folded } from "../views.ts";
import { isWhole } from "../whole-words.ts";
import { linesOf, type Span } from "./lines-of.ts";
import type { Placed } from "./without-overlaps.ts";

export interface CustomRule extends Masking {
  name: string;
  type: "keyword" | "regex";
  pattern: string;
}

export type FindCustom = (of: Segment, reversible: boolean) => Placed[];

export function customRule(rule: CustomRule): FindCustom {
  const spansIn = rule.type === "keyword" ? keyword(rule.pattern) : regex(rule.pattern);
  return (of, reversible) => {
    return spansIn(of).flatMap((span) =>
      linesOf(of.text, span).map(({ start, end }) => ({
        label: rule.name,
        type: "pii",
        confidence: 1,
        at: { segment: of, start, end },
        mask: reversible
          ? { pseudonym: pseudonymOf(rule.name) }
          : { text: maskText(rule, end - start) },
      })),
    );
  };
}

type SpansIn = (of: Segment) => Span[];

/** In the text as it is, and in plain characters, so that an invisible one inside a word hides nothing. */
function regex(source: string): SpansIn {
  const pattern = compilePattern(source);
  const spansIn = (text: string) => pattern.spans(text).filter(({ start, end }) => end > start);
  return (of) => {
    const { exact, span } = once(of, folded);
    const spans = spansIn(exact).map(({ start, end }) => span(start, end));
    return exact === of.text ? spans : [...spans, ...spansIn(of.text)];
  };
}

/** Whole words, in any case. */
function keyword(written: string): SpansIn {
  const wanted = folded(written.trim()).text;
  return (of) => {
    const { text, span } = once(of, folded);
    const spans: Span[] = [];
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
      const end = at + wanted.length;
      if (isWhole(text, at, end)) spans.push(span(at, end));
    }
    return spans;
  };
}

const pseudonymOf = (name: string) => name.toUpperCase().replace(/[^\p{L}\p{N}]+/gu, "_");
