/** A text as Activity keeps it when it keeps texts masked: personal data and secrets are gone. */
import { entityMatches, USUAL_CHOICE } from "./dlp/entity-matches.ts";
import { rewrite } from "./rewrite.ts";
import type { Segment } from "./segment.ts";

export function maskForStorage(segment: Segment): string {
  const [change] = rewrite(entityMatches(segment, USUAL_CHOICE), (label) => `[${label}]`);
  return change?.text ?? segment.text;
}
