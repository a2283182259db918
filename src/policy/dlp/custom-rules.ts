/** What an administrator's own words and patterns find. */
import { compilePattern } from "../../lib/pattern.ts";
import { type Masking, maskText } from "../mask-text.ts";
import { once, type Segment } from "../segment.ts";
import { folded } from "../views.ts";
import { linesOf, type Span } from "./lines-of.ts";
import type { Placed } from "./without-overlaps.ts";

export interface CustomRule extends Masking {
  name: string;
  type: "keyword" | "regex";
  pattern: string;
}

export type FindCustom = (of: Segment, reversible: boolean) => Placed[];

/** Both kinds read the text in plain characters, so that an invisible one inside a word hides nothing. */
export function customRule(rule: CustomRule): FindCustom {
  const spansIn = rule.type === "keyword" ? keyword(rule.pattern) : regex(rule.pattern);
  return (of, reversible) => {
    const view = once(of, folded);
    return spansIn(view).flatMap((span) =>
      linesOf(of.text, view.span(span.start, span.end)).map(({ start, end }) => ({
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

type SpansIn = (view: { text: string; exact: string }) => Span[];

function regex(source: string): SpansIn {
  const pattern = compilePattern(source);
  return ({ exact }) => pattern.spans(exact).filter(({ start, end }) => end > start);
}

/** Whole words, in any case. Scripts that do not part words have no whole words to ask for. */
function keyword(written: string): SpansIn {
  const wanted = folded(written.trim()).text;
  const opens = WORD.test(wanted.charAt(0));
  const closes = WORD.test(wanted.charAt(wanted.length - 1));
  return ({ text }) => {
    const spans: Span[] = [];
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
      const end = at + wanted.length;
      const inWord =
        (opens && WORD.test(text.charAt(at - 1))) || (closes && WORD.test(text.charAt(end)));
      if (!inWord) spans.push({ start: at, end });
    }
    return spans;
  };
}

const WORD = /[\p{N}\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]/u;

const pseudonymOf = (name: string) => name.toUpperCase().replace(/[^\p{L}\p{N}]+/gu, "_");
