/** Finds every entity in a text, whatever settings say: they only choose among these. */
import { findSecrets } from "../secrets/find-secrets.ts";
import { plainSecrets } from "../secrets/secrets-in.ts";
import { once, type Segment } from "../segment.ts";
import { decoded, folded, unquoted, type View } from "../views.ts";
import { AMERICAN_SHAPES } from "./american-shapes.ts";
import { credentials } from "./credentials.ts";
import { emails } from "./emails.ts";
import type { EntityHit } from "./entities.ts";
import { EUROPEAN_SHAPES } from "./european-shapes.ts";
import { fieldName } from "./field-name.ts";
import { ledPassword } from "./led-password.ts";
import { MONEY_SHAPES } from "./money-shapes.ts";
import { nearby } from "./nearby.ts";
import { PAPER_AND_DEVICE_SHAPES } from "./paper-and-device-shapes.ts";
import { phonesAt } from "./phones.ts";
import { plainDigits } from "./plain-digits.ts";
import { scanWords } from "./scan-words.ts";
import { shapesByOpening } from "./shape.ts";

const shapesOf = shapesByOpening([
  ...MONEY_SHAPES,
  ...EUROPEAN_SHAPES,
  ...AMERICAN_SHAPES,
  ...PAPER_AND_DEVICE_SHAPES,
]);

/** Hits may overlap: which one wins depends on what settings look for. Worked out once for each segment. */
export const findEntities = (of: Segment): readonly EntityHit[] => once(of, entitiesOf);

function entitiesOf(_: string, of: Segment): readonly EntityHit[] {
  const name = fieldName(of);
  const hits = entitiesIn(of, once(of, folded), name === "" ? "" : `${name}: `);
  const [, ...encoded] = once(of, decoded);
  if (encoded.length === 0) return hits;
  const inside = encoded.flatMap((view) => surestOfEachPlace(entitiesIn(of, unquoted(view), "")));
  return [...hits, ...inside];
}

/** What is encoded has one place for all that is found in it: its text must not be read again for each. */
function surestOfEachPlace(hits: readonly EntityHit[]): EntityHit[] {
  const surest = new Map<string, EntityHit>();
  for (const hit of hits) {
    const place = `${hit.entity} ${hit.start} ${hit.end}`;
    if (hit.confidence > (surest.get(place)?.confidence ?? 0)) surest.set(place, hit);
  }
  return [...surest.values()];
}

/** `label` is read before the text, for what it says about it. */
function entitiesIn(of: Segment, { exact, span }: View, label: string): EntityHit[] {
  const text = label + plainDigits(exact);
  const secrets = text === of.text ? plainSecrets(of) : findSecrets(text);
  const hits = [...credentials(text, secrets), ...personal(text)];
  if (hits.length === 0) return hits;
  return hits
    .filter(({ start }) => start >= label.length)
    .map((hit) => ({ ...hit, ...span(hit.start - label.length, hit.end - label.length) }));
}

function personal(text: string): EntityHit[] {
  const { starts, ends, clues } = scanWords(text);
  const hits = emails(text);
  for (const clue of clues) {
    const password = clue.leads && ledPassword(text, clue);
    if (password) hits.push(password);
  }

  const cluesAt = nearby(text, clues);
  starts.forEach((at, index) => {
    if (isInside(text, at)) return;
    const isDigit = text.charCodeAt(at) <= NINE;
    const isNear = cluesAt(at);
    for (const shape of shapesOf(isDigit, (ends[index] ?? 0) - at)) {
      const { entity, alone } = shape;
      if (alone === 0 && !isNear) continue;
      const end = shape.end(text, at);
      if (end < 0) continue;
      const confidence = isNear?.(entity, end, shape.unmarked === true) ? shape.near : alone;
      if (confidence > 0) hits.push({ entity, start: at, end, confidence });
    }
    if (isDigit) {
      hits.push(...phonesAt(text, at, isNear && ((...asked) => isNear("phone_number", ...asked))));
    }
  });
  return hits;
}

const NINE = 0x39;

/** The middle of a longer number (`2024-05-20`), or of a character (`&#128553;`), is tried as the start of nothing. */
function isInside(text: string, at: number): boolean {
  const sign = text.charCodeAt(at - 1);
  if (sign === 0x23) return text.charCodeAt(at - 2) === 0x26;
  if (sign !== 0x2d && sign !== 0x2e && sign !== 0x2f) return false;
  const before = text.charCodeAt(at - 2);
  return before >= 0x30 && before <= NINE;
}
