/** One pass over each view of a text for the literals of all built-in detectors, whichever of them ask. */
import { createKeywordFinder } from "../lib/text/keyword-finder.ts";
import { DANGEROUS_CODE } from "./dangerous-code/all.ts";
import { INJECTIONS } from "./injections/all.ts";
import {
  SECRET_KEYWORDS,
  type Secret,
  secretsAt,
  withoutOverlaps,
} from "./secrets/find-secrets.ts";
import { once, type Segment } from "./segment.ts";
import { REACH, type Signature } from "./signatures.ts";
import type { Span } from "./views/source-map.ts";
import { decoded, type View } from "./views.ts";

export interface Looked {
  /** In the order of the text, none overlapping, at their places in the view. */
  secrets: readonly Secret[];
  /** Where a signature may match: around its needles. */
  windows: ReadonlyMap<Signature, readonly Span[]>;
}

interface Waiting {
  /** Number of the keyword of a secret; undefined: it is none. */
  keyword?: number;
  signatures: Signature[];
}

const byLiteral = new Map<string, Waiting>();
const waitingFor = (literal: string): Waiting => {
  const waiting = byLiteral.get(literal) ?? { signatures: [] };
  byLiteral.set(literal, waiting);
  return waiting;
};
for (const [number, keyword] of SECRET_KEYWORDS.entries()) waitingFor(keyword).keyword = number;
for (const signature of [...DANGEROUS_CODE, ...INJECTIONS]) {
  for (const needle of new Set(signature.needles)) waitingFor(needle).signatures.push(signature);
}
const WAITING = [...byLiteral.values()];
const find = createKeywordFinder([...byLiteral.keys()]);

/** By the number of the view in `once(segment, decoded)`. */
export const lookOnce = (of: Segment): readonly Looked[] => once(of, lookAtAll);

const lookAtAll = (_: string, of: Segment): readonly Looked[] => once(of, decoded).map(look);

function look({ text, exact }: View): Looked {
  const found: Secret[] = [];
  const windows = new Map<Signature, Span[]>();
  find(text, (literal, end) => {
    const waiting = WAITING[literal];
    if (!waiting) return;
    for (const signature of waiting.signatures) widen(windows, signature, end);
    if (waiting.keyword !== undefined) secretsAt(exact, waiting.keyword, end, found);
  });
  return { secrets: withoutOverlaps(found), windows };
}

function widen(windows: Map<Signature, Span[]>, signature: Signature, end: number): void {
  const known = windows.get(signature);
  const last = known?.at(-1);
  if (last !== undefined && end - REACH <= last.end) last.end = end + REACH;
  else {
    const window = { start: Math.max(0, end - REACH), end: end + REACH };
    if (known === undefined) windows.set(signature, [window]);
    else known.push(window);
  }
}
