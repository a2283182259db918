/** One pass over each view of a text for the literals of all built-in detectors, whichever of them ask. */
import { createKeywordFinder } from "../../lib/text/keyword-finder.ts";
import {
  collectSecretsAt,
  mergeOverlaps,
  SECRET_KEYWORDS,
  type Secret,
} from "../secrets/find-secrets.ts";
import { computeOnce, type Segment } from "../segment.ts";
import type { TextSpan } from "../views/source-map.ts";
import { decodeViews, type View } from "../views/view.ts";
import { DANGEROUS_CODE } from "./dangerous-code/all.ts";
import { INJECTIONS } from "./injections/all.ts";
import { type Signature, WINDOW_RADIUS } from "./signature.ts";

export interface LiteralScan {
  /** In the order of the text, none overlapping, at their places in the view. */
  secrets: readonly Secret[];
  /** Where a signature may match: around its needles. */
  windows: ReadonlyMap<Signature, readonly TextSpan[]>;
}

interface LiteralUse {
  /** Number of the keyword of a secret; undefined: it is none. */
  keyword?: number;
  signatures: Signature[];
}

const usesByLiteral = new Map<string, LiteralUse>();
const literalUse = (literal: string): LiteralUse => {
  const waiting = usesByLiteral.get(literal) ?? { signatures: [] };
  usesByLiteral.set(literal, waiting);
  return waiting;
};
for (const [number, keyword] of SECRET_KEYWORDS.entries()) literalUse(keyword).keyword = number;
for (const signature of [...DANGEROUS_CODE, ...INJECTIONS]) {
  for (const needle of new Set(signature.needles)) literalUse(needle).signatures.push(signature);
}
const USES = [...usesByLiteral.values()];
const findLiterals = createKeywordFinder([...usesByLiteral.keys()]);

/** By the number of the view in `once(segment, decoded)`. */
export const scanLiterals = (of: Segment): readonly LiteralScan[] => computeOnce(of, scanViews);

const scanViews = (_: string, of: Segment): readonly LiteralScan[] =>
  computeOnce(of, decodeViews).map(scanView);

function scanView({ text, exact }: View): LiteralScan {
  const found: Secret[] = [];
  const windows = new Map<Signature, TextSpan[]>();
  findLiterals(text, (literal, end) => {
    const waiting = USES[literal];
    if (!waiting) return;
    for (const signature of waiting.signatures) addWindow(windows, signature, end);
    if (waiting.keyword !== undefined) collectSecretsAt(exact, waiting.keyword, end, found);
  });
  return { secrets: mergeOverlaps(found), windows };
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
