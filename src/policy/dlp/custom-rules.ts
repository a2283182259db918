/** What an administrator's own words and patterns find. */
import { compilePattern } from "../../lib/linear-regex/compile-pattern.ts";
import { type Masking, maskText } from "../mask-text.ts";
import { once, type Segment } from "../segment.ts";
import { decoded, folded, type View } from "../views.ts";
import { isWhole } from "../whole-words.ts";
import { linesOf, type Span, withoutRepeats } from "./lines-of.ts";
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
    return withoutRepeats(spansIn(of)).flatMap((span) =>
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

/** In plain characters, so that an invisible one inside a word hides nothing, and what is encoded. */
function viewsOf(of: Segment): readonly View[] {
  const [, ...encoded] = once(of, decoded);
  return [once(of, folded), ...encoded];
}

/** Also in the text as it is. */
function regex(source: string): SpansIn {
  const pattern = compilePattern(source);
  const spansIn = (text: string) =>
    pattern.findMatches(text).filter(({ start, end }) => end > start);
  return (of) => {
    const read = viewsOf(of).flatMap(({ exact, span }) =>
      spansIn(exact).map(({ start, end }) => span(start, end)),
    );
    return once(of, folded).exact === of.text ? read : [...read, ...spansIn(of.text)];
  };
}

/** Whole words, in any case. */
function keyword(written: string): SpansIn {
  const wanted = folded(written.trim()).text;
  const spansIn = ({ text, span }: View) => {
    const spans: Span[] = [];
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
      const end = at + wanted.length;
      if (isWhole(text, at, end)) spans.push(span(at, end));
    }
    return spans;
  };
  return (of) => viewsOf(of).flatMap(spansIn);
}

const pseudonymOf = (name: string) => name.toUpperCase().replace(/[^\p{L}\p{N}]+/gu, "_");
