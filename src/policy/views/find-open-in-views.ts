/** Finds the open end of text in all of its views. */
import { computeOnce, type Segment } from "../segment.ts";
import { decodeViews, foldText, unescapeView, type View } from "./view.ts";

/** Returns the folded view and the decoded views of a segment. All decode string escapes. */
export const readViews = (segment: Segment): readonly View[] => computeOnce(segment, unescapeViews);

function unescapeViews(_: string, segment: Segment): readonly View[] {
  const [, ...encoded] = computeOnce(segment, decodeViews);
  return [computeOnce(segment, foldText), ...encoded.map(unescapeView)];
}

/**
 * Returns the first offset of the segment at which `findOpen` finds something in a view that more text may complete or
 * change, or the length of the segment. `findOpen` returns the length of the view if there is nothing.
 */
export function findOpenInViews(
  segment: Segment,
  from: number,
  findOpen: (view: View, from: number) => number,
): number {
  let first = segment.text.length;
  for (const view of readViews(segment)) {
    const open = findOpen(view, view.exact === segment.text ? from : 0);
    const end = view.text.length;
    if (open < end) first = Math.min(first, view.toOriginal(open, end).start);
  }
  return first;
}
