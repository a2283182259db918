/** A text as Activity keeps it when it keeps texts masked: personal data and secrets are gone. */
import type { Match } from "./detector.ts";
import { entityMatches, USUAL_CHOICE } from "./dlp/entity-matches.ts";
import { withoutOverlaps } from "./dlp/without-overlaps.ts";
import { rewrite } from "./rewrite.ts";
import type { Segment } from "./segment.ts";

/** `hidden` is what the policy masks in it: an administrator's own words are known to nobody else. */
export function maskForStorage(segment: Segment, hidden: readonly Match[]): string {
  const usual = entityMatches(segment, USUAL_CHOICE);
  if (usual.length === 0 && hidden.length === 0) return segment.text;
  const [change] = rewrite([...withoutOverlaps(usual), ...hidden], name);
  return change?.text ?? segment.text;
}

/** A name of a session stands for its text, which is kept apart: here its kind is enough. */
const name = (label: string): string => `[MASKED_${label}]`;
