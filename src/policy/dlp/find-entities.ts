/** Finds all entities of a segment. Settings select among them later, so that rules share the result. */
import { findSecrets } from "../secrets/find-secrets.ts";
import { findPlainSecrets } from "../secrets/find-segment-secrets.ts";
import { computeOnce, type Segment } from "../segment.ts";
import { decodeViews, foldText, unescapeView, type View } from "../views/view.ts";
import { AMERICAN_FORMATS } from "./american-formats.ts";
import { createClueLookup } from "./clue-lookup.ts";
import { DOCUMENT_AND_DEVICE_FORMATS } from "./document-and-device-formats.ts";
import type { EntityHit } from "./entities.ts";
import { indexFormats } from "./entity-format.ts";
import { EUROPEAN_FORMATS } from "./european-formats.ts";
import { FINANCIAL_FORMATS } from "./financial-formats.ts";
import { findEmails } from "./find-emails.ts";
import { findPasswordAfterClue } from "./find-password-after-clue.ts";
import { findPhonesAt } from "./find-phones.ts";
import { foldDigits } from "./fold-digits.ts";
import { readFieldName } from "./read-field-name.ts";
import { scanWords } from "./scan-words.ts";
import { toCredentialHits } from "./to-credential-hits.ts";

export const formatsFor = indexFormats([
  ...FINANCIAL_FORMATS,
  ...EUROPEAN_FORMATS,
  ...AMERICAN_FORMATS,
  ...DOCUMENT_AND_DEVICE_FORMATS,
]);

/** Returns all hits, which may overlap: which one wins depends on the settings. Memoized per segment. */
export const findEntities = (segment: Segment): readonly EntityHit[] =>
  computeOnce(segment, findInSegment);

function findInSegment(_: string, segment: Segment): readonly EntityHit[] {
  const name = readFieldName(segment);
  const hits = findInView(segment, computeOnce(segment, foldText), name === "" ? "" : `${name}: `);
  const [, ...encoded] = computeOnce(segment, decodeViews);
  if (encoded.length === 0) return hits;
  const inside = encoded.flatMap((view) =>
    keepMostConfident(findInView(segment, unescapeView(view), "")),
  );
  return [...hits, ...inside];
}

/** Drops duplicates: all hits inside an encoded run map to the same span. */
function keepMostConfident(hits: readonly EntityHit[]): EntityHit[] {
  const best = new Map<string, EntityHit>();
  for (const hit of hits) {
    const key = `${hit.entity} ${hit.start} ${hit.end}`;
    if (hit.confidence > (best.get(key)?.confidence ?? 0)) best.set(key, hit);
  }
  return [...best.values()];
}

/** Finds entities in a view. `label` is prepended as context for clue words. */
function findInView(segment: Segment, { exact, toOriginal }: View, label: string): EntityHit[] {
  const text = label + foldDigits(exact);
  const secrets = text === segment.text ? findPlainSecrets(segment) : findSecrets(text);
  const hits = [...toCredentialHits(text, secrets), ...findPersonalData(text)];
  if (hits.length === 0) return hits;
  return hits
    .filter(({ start }) => start >= label.length)
    .map((hit) => ({ ...hit, ...toOriginal(hit.start - label.length, hit.end - label.length) }));
}

function findPersonalData(text: string): EntityHit[] {
  const { starts, ends, clues } = scanWords(text);
  const hits = findEmails(text);
  for (const clue of clues) {
    const password = clue.precedesPassword && findPasswordAfterClue(text, clue);
    if (password) hits.push(password);
  }

  const cluesAt = createClueLookup(text, clues);
  starts.forEach((at, index) => {
    if (isInsideLongerValue(text, at)) return;
    const isDigit = text.charCodeAt(at) <= NINE;
    const hasClue = cluesAt(at);
    for (const format of formatsFor(isDigit, (ends[index] ?? 0) - at)) {
      const { entity, confidence: base } = format;
      if (base === 0 && !hasClue) continue;
      const end = format.findEnd(text, at);
      if (end < 0) continue;
      const confidence = hasClue?.(entity, end, format.isAmbiguous === true)
        ? format.confidenceWithClue
        : base;
      if (confidence > 0) hits.push({ entity, start: at, end, confidence });
    }
    if (isDigit) {
      hits.push(
        ...findPhonesAt(text, at, hasClue && ((...value) => hasClue("phone_number", ...value))),
      );
    }
  });
  return hits;
}

const NINE = 0x39;

/** Detects a start inside a longer number (`2024-05-20`) or a character reference (`&#128553;`). */
export function isInsideLongerValue(text: string, at: number): boolean {
  const sign = text.charCodeAt(at - 1);
  if (sign === 0x23) return text.charCodeAt(at - 2) === 0x26;
  if (sign !== 0x2d && sign !== 0x2e && sign !== 0x2f) return false;
  const before = text.charCodeAt(at - 2);
  return before >= 0x30 && before <= NINE;
}
