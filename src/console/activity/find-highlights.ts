/** Locates findings in the texts of an evaluation, also in texts that were masked before they were stored. */

import { ACTIONS, type Action } from "../../contract/guard/actions.ts";
import type { StoredText } from "../../contract/guard/activity.ts";
import type { Finding } from "../../contract/guard/evaluate.ts";

/** Range of characters. `end` is exclusive. */
interface Span {
  start: number;
  end: number;
}

export interface Highlight extends Span {
  label: string;
  /** null: masked, without a finding at a known position. */
  action: Action | null;
}

/** Location of a match. All members are optional: custom detectors may omit them. */
export interface FindingLocation {
  label?: string;
  type?: string;
  pointer?: string;
  inner_pointer?: string;
  start?: number;
  end?: number;
  passage_sha256?: string;
}

interface LocatedMatch extends Highlight {
  /** Personal data and secrets, which storage masks. */
  isPrivate: boolean;
}

/** Returns the highlights of each text, in the order of `content`. */
export function findHighlights(
  content: readonly StoredText[],
  findings: readonly Finding[],
): Highlight[][] {
  // The name of a member comes before its value, and has the same location. No detector inspects a `value`.
  const last = new Map(
    content.flatMap(({ pointer, inner, source }, index) =>
      source === "value" ? [] : [[keyOf(pointer, inner), index] as const],
    ),
  );
  const matches = Map.groupBy(findings.flatMap(toMatches), ({ key }) => last.get(key));
  return content.map((stored, index) => {
    const found = matches.get(index) ?? [];
    if (!stored.masked) return found.filter(({ end }) => end <= stored.text.length);
    return findInMasked(stored.text, found);
  });
}

const keyOf = (pointer: string, inner: string | null | undefined) => `${pointer} ${inner ?? ""}`;

export const locationsOf = ({ places }: Finding["evidence"]): readonly FindingLocation[] =>
  Array.isArray(places) ? places : [];

const toMatches = ({ evidence, outcome, signal }: Finding): (LocatedMatch & { key: string })[] =>
  locationsOf(evidence).flatMap(({ label, type, pointer, inner_pointer, start, end }) =>
    pointer === undefined || start === undefined || end === undefined || start >= end
      ? []
      : [
          {
            key: keyOf(pointer, inner_pointer),
            start,
            end,
            label: label ?? signal.type,
            action: outcome.action,
            isPrivate: type === "pii" || type === "secret",
          },
        ],
  );

const MASK = /\[MASKED_[A-Z0-9_]+\]/g;

/** Returns the masks, with the findings that they replace if these are known, and the findings between them. */
function findInMasked(text: string, matches: readonly LocatedMatch[]): Highlight[] {
  const masks = [...text.matchAll(MASK)].map(({ index, 0: { length } }) => ({
    start: index,
    end: index + length,
  }));
  const toStored = alignMasks(masks, mergeSpans(matches.filter(({ isPrivate }) => isPrivate)));
  if (toStored) return matches.map((match) => ({ ...match, ...toStored(match) }));
  const [first] = masks;
  const before = matches.filter(({ end }) => first && end <= first.start);
  return [...before, ...masks.map((mask) => ({ ...mask, label: "masked", action: null }))];
}

/**
 * Returns a function that moves a span of the original text to the masked text. Returns undefined if the masks do not
 * replace exactly `hidden`: the policy may not report everything that storage masks.
 */
function alignMasks(
  masks: readonly Span[],
  hidden: readonly Span[],
): ((span: Span) => Span) | undefined {
  if (masks.length !== hidden.length) return undefined;
  let shift = 0;
  for (const [index, { start, end }] of hidden.entries()) {
    const mask = masks[index];
    if (!mask || mask.start !== start + shift) return undefined;
    shift = mask.end - end;
  }
  const move = (position: number, edge: "start" | "end"): number => {
    const index = hidden.findLastIndex(({ start }) =>
      edge === "start" ? start <= position : start < position,
    );
    const [span, mask] = [hidden[index], masks[index]];
    if (!span || !mask) return position;
    const isInside = edge === "start" ? position < span.end : position <= span.end;
    return isInside ? mask[edge] : position + mask.end - span.end;
  };
  return ({ start, end }) => ({ start: move(start, "start"), end: move(end, "end") });
}

/** Joins spans that overlap: one mask replaces them. */
function mergeSpans(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (const { start, end } of spans.toSorted((one, other) => one.start - other.start)) {
    const last = merged.at(-1);
    if (last && start < last.end) last.end = Math.max(last.end, end);
    else merged.push({ start, end });
  }
  return merged;
}

/** Range of characters that have the same highlights. */
export interface HighlightedPart extends Span {
  /** From the most to the least restrictive action. */
  highlights: Highlight[];
  /** Highlights that end with this part. */
  ending: Highlight[];
}

/** Splits text where highlights start and end, so that overlapping and nested ones can be shown. */
export function splitByHighlights(
  length: number,
  highlights: readonly Highlight[],
): HighlightedPart[] {
  const edges = new Set([0, length, ...highlights.flatMap(({ start, end }) => [start, end])]);
  const sorted = [...edges].sort((one, other) => one - other);
  return sorted.slice(0, -1).map((start, index) => {
    const end = sorted[index + 1] ?? length;
    const covering = highlights
      .filter((one) => one.start < end && one.end > start)
      .toSorted((one, other) => rank(one) - rank(other));
    return { start, end, highlights: covering, ending: covering.filter((one) => one.end === end) };
  });
}

const rank = ({ action }: Highlight): number => (action ? ACTIONS.indexOf(action) : ACTIONS.length);
