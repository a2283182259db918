/** Scans each view of a text once for the literals of all built-in signatures and secret formats. */
import { createKeywordFinder } from "../../lib/text/keyword-finder.ts";
import {
  collectSecretsAt,
  mergeOverlaps,
  SECRET_KEYWORDS,
  type Secret,
} from "../secrets/find-secrets.ts";
import { computeOnce, type Segment } from "../segment.ts";
import { foldLeetspeak, isLikelyLeetspeak } from "../views/fold-leetspeak.ts";
import type { TextSpan } from "../views/source-map.ts";
import { decodeViews, type View } from "../views/view.ts";
import { DANGEROUS_CODE } from "./dangerous-code/all.ts";
import { INJECTIONS } from "./injections/all.ts";
import { type Signature, WINDOW_RADIUS } from "./signature.ts";

export interface LiteralScan {
  view: View;
  /** In text order, without overlaps. Offsets are in the view. */
  secrets: readonly Secret[];
  /** Windows around the needles of each signature, where it may match. */
  windows: ReadonlyMap<Signature, readonly TextSpan[]>;
}

interface LiteralUse {
  /** Index in SECRET_KEYWORDS, if the literal is one. */
  keyword?: number;
  signatures: Signature[];
}

const usesByLiteral = new Map<string, LiteralUse>();
const literalUse = (literal: string): LiteralUse => {
  const use = usesByLiteral.get(literal) ?? { signatures: [] };
  usesByLiteral.set(literal, use);
  return use;
};
for (const [number, keyword] of SECRET_KEYWORDS.entries()) literalUse(keyword).keyword = number;
for (const signature of [...DANGEROUS_CODE, ...INJECTIONS]) {
  for (const needle of new Set(signature.needles)) literalUse(needle).signatures.push(signature);
}
const USES = [...usesByLiteral.values()];
const findLiterals = createKeywordFinder([...usesByLiteral.keys()]);

/** Returns one scan per view of `computeOnce(segment, decodeViews)`, in the same order. */
export const scanLiterals = (segment: Segment): readonly LiteralScan[] =>
  computeOnce(segment, scanViews);

const scanViews = (_: string, segment: Segment): readonly LiteralScan[] =>
  computeOnce(segment, decodeViews).map(scanView);

/** Returns the scans of the text as leetspeak. They find no secrets, because a letter of a key cannot be guessed. */
export const scanLeetspeak = (segment: Segment): readonly LiteralScan[] =>
  computeOnce(segment, scanLeetViews);

const scanLeetViews = (_: string, segment: Segment): readonly LiteralScan[] =>
  computeOnce(segment, decodeViews)
    .filter(({ text }) => text.length <= SHORT_CHARACTERS || isLikelyLeetspeak(text))
    .flatMap(foldLeetspeak)
    .map(scanView);

/** In longer text, a word such as `1st` is not reason enough for another scan. */
const SHORT_CHARACTERS = 256;

function scanView(view: View): LiteralScan {
  const { text, exact } = view;
  const secrets: Secret[] = [];
  const windows = new Map<Signature, TextSpan[]>();
  findLiterals(text, (literal, end) => {
    const use = USES[literal];
    if (!use) return;
    for (const signature of use.signatures) addWindow(windows, signature, end);
    if (use.keyword !== undefined) collectSecretsAt(exact, use.keyword, end, secrets);
  });
  return { view, secrets: mergeOverlaps(secrets), windows };
}

function addWindow(windows: Map<Signature, TextSpan[]>, signature: Signature, end: number): void {
  const known = windows.get(signature);
  const last = known?.at(-1);
  if (last !== undefined && end - WINDOW_RADIUS <= last.end) last.end = end + WINDOW_RADIUS;
  else {
    const window = { start: Math.max(0, end - WINDOW_RADIUS), end: end + WINDOW_RADIUS };
    if (known === undefined) windows.set(signature, [window]);
    else known.push(window);
  }
}
