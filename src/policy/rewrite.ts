/** What Transform writes: every match of every rule replaced, what stands between them untouched. */
import type { Match } from "./detector.ts";
import type { Segment } from "./segment.ts";

export interface Change {
  segment: Segment;
  /** The whole text as it shall be. */
  text: string;
}

/** Gives the name that stands for a text in this session. */
export type Pseudonym = (label: string, original: string) => string;

export function rewrite(matches: readonly Match[], pseudonym: Pseudonym): Change[] {
  const bySegment = new Map<Segment, Masked[]>();
  for (const { at, mask } of matches) {
    if (!at || !mask) continue;
    const list = bySegment.get(at.segment);
    if (list) list.push({ ...at, mask });
    else bySegment.set(at.segment, [{ ...at, mask }]);
  }
  return [...bySegment].map(([segment, list]) => ({
    segment,
    text: replaced(segment.text, list, pseudonym),
  }));
}

interface Masked {
  start: number;
  end: number;
  mask: NonNullable<Match["mask"]>;
}

/** Where two overlap, the later one masks what sticks out of the earlier: nothing found is left. */
function replaced(text: string, found: Masked[], pseudonym: Pseudonym): string {
  let written = "";
  let from = 0;
  for (const { start, end, mask } of found.sort((one, other) => one.start - other.start)) {
    if (end <= from) continue;
    const begin = Math.max(start, from);
    written += text.slice(from, begin);
    written += "text" in mask ? mask.text : pseudonym(mask.pseudonym, text.slice(begin, end));
    from = end;
  }
  return written + text.slice(from);
}
