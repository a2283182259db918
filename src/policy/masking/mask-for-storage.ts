/** A text as Activity keeps it when it keeps texts masked: personal data and secrets are gone. */
import type { Match } from "../detector.ts";
import { DEFAULT_SELECTION, findEntityMatches } from "../dlp/find-entity-matches.ts";
import { resolveOverlaps } from "../dlp/resolve-overlaps.ts";
import type { Segment } from "../segment.ts";
import { applyMasks } from "./apply-masks.ts";

/** `hidden` is what the policy masks in it: an administrator's own words are known to nobody else. */
export function maskForStorage(segment: Segment, hidden: readonly Match[]): string {
  const usual = findEntityMatches(segment, DEFAULT_SELECTION);
  if (usual.length === 0 && hidden.length === 0) return segment.text;
  const [change] = applyMasks([...resolveOverlaps(usual), ...hidden], toMaskName);
  return change?.text ?? segment.text;
}

/** A name of a session stands for its text, which is kept apart: here its kind is enough. */
const toMaskName = (label: string): string => `[MASKED_${label}]`;
