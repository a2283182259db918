/** A text as Activity keeps it when it keeps texts masked: personal data and secrets are gone. */
import { entityMatches, USUAL_CHOICE } from "./dlp/entity-matches.ts";
import { withoutOverlaps } from "./dlp/without-overlaps.ts";
import { rewrite } from "./rewrite.ts";
import type { Segment } from "./segment.ts";

export function maskForStorage(segment: Segment): string {
  const [change] = rewrite(withoutOverlaps(entityMatches(segment, USUAL_CHOICE)), name);
  return change?.text ?? segment.text;
}

/** The usual choice masks by text; a name of a session is never asked for. */
const name = (label: string): string => label;
