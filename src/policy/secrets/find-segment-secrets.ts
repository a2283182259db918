/** Finds the credentials of a segment, including escaped and encoded ones. */
import { computeOnce, type Segment } from "../segment.ts";
import { scanLiterals } from "../signatures/scan-literals.ts";
import { decodeViews, foldText, type View } from "../views/view.ts";
import { findSecrets, mergeOverlaps, type Secret } from "./find-secrets.ts";

/** Returns secrets in text order, without overlaps. Memoized per segment. */
export const findSegmentSecrets = (segment: Segment): readonly Secret[] =>
  computeOnce(segment, findInViews);

function findInViews(_: string, segment: Segment): readonly Secret[] {
  const plain = findPlainSecrets(segment);
  const folded = computeOnce(segment, foldText);
  const views = computeOnce(segment, decodeViews);
  const isUnchanged = (view: View) => view.exact === segment.text;
  if (isUnchanged(folded) && views.every(isUnchanged)) return plain;

  const secrets = [...plain];
  const inspected = new Set([segment.text]);
  const add = (view: View, find: (exact: string) => readonly Secret[]) => {
    if (inspected.has(view.exact)) return;
    inspected.add(view.exact);
    for (const secret of find(view.exact)) {
      secrets.push({ ...secret, ...view.toOriginal(secret.start, secret.end) });
    }
  };
  add(folded, findSecrets);
  for (const [number, view] of views.entries()) {
    add(view, () => scanLiterals(segment)[number]?.secrets ?? []);
  }
  return mergeOverlaps(secrets);
}

/** Finds secrets in the original text only. */
export function findPlainSecrets(segment: Segment): readonly Secret[] {
  const [view] = computeOnce(segment, decodeViews);
  const scan = view?.exact === segment.text ? scanLiterals(segment)[0] : undefined;
  return scan?.secrets ?? computeOnce(segment, findSecrets);
}
