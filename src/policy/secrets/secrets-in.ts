/** The credentials of a text of a payload, also those that are escaped or encoded in it. */
import { lookOnce } from "../look-once.ts";
import { once, type Segment } from "../segment.ts";
import { decoded, folded, type View } from "../views.ts";
import { findSecrets, type Secret, withoutOverlaps } from "./find-secrets.ts";

/** Base64 in a manifest hides no secret. */
export function secretsIn(segment: Segment): readonly Secret[] {
  const plain = plainSecrets(segment);
  const quoted = once(segment, folded);
  const views = once(segment, decoded);
  const isAll = (view: View) => view.exact === segment.text;
  if (isAll(quoted) && views.every(isAll)) return plain;

  const found = [...plain];
  const seen = new Set([segment.text]);
  const add = (view: View, secrets: (exact: string) => readonly Secret[]) => {
    if (seen.has(view.exact)) return;
    seen.add(view.exact);
    for (const secret of secrets(view.exact)) {
      found.push({ ...secret, ...view.span(secret.start, secret.end) });
    }
  };
  add(quoted, findSecrets);
  for (const [number, view] of views.entries()) {
    add(view, () => lookOnce(segment)[number]?.secrets ?? []);
  }
  return withoutOverlaps(found);
}

/** Those that stand in the text as it was written. */
export function plainSecrets(segment: Segment): readonly Secret[] {
  const [view] = once(segment, decoded);
  const looked = view?.exact === segment.text ? lookOnce(segment)[0] : undefined;
  return looked?.secrets ?? once(segment, findSecrets);
}
