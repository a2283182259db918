/** The credentials of a text of a payload, also those that are escaped or encoded in it. */

import { computeOnce, type Segment } from "../segment.ts";
import { scanLiterals } from "../signatures/scan-literals.ts";
import { decodeViews, foldText, type View } from "../views/view.ts";
import { findSecrets, mergeOverlaps, type Secret } from "./find-secrets.ts";

/** Base64 in a manifest hides no secret. */
export function findSegmentSecrets(segment: Segment): readonly Secret[] {
  const plain = findPlainSecrets(segment);
  const quoted = computeOnce(segment, foldText);
  const views = computeOnce(segment, decodeViews);
  const isAll = (view: View) => view.exact === segment.text;
  if (isAll(quoted) && views.every(isAll)) return plain;

  const found = [...plain];
  const seen = new Set([segment.text]);
  const add = (view: View, secrets: (exact: string) => readonly Secret[]) => {
    if (seen.has(view.exact)) return;
    seen.add(view.exact);
    for (const secret of secrets(view.exact)) {
      found.push({ ...secret, ...view.toOriginal(secret.start, secret.end) });
    }
  };
  add(quoted, findSecrets);
  for (const [number, view] of views.entries()) {
    add(view, () => scanLiterals(segment)[number]?.secrets ?? []);
  }
  return mergeOverlaps(found);
}

/** Those that stand in the text as it was written. */
export function findPlainSecrets(segment: Segment): readonly Secret[] {
  const [view] = computeOnce(segment, decodeViews);
  const looked = view?.exact === segment.text ? scanLiterals(segment)[0] : undefined;
  return looked?.secrets ?? computeOnce(segment, findSecrets);
}
