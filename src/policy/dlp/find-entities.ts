/** Finds every entity in a text, whatever settings say: they only choose among these. */
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

const formatsFor = indexFormats([
  ...FINANCIAL_FORMATS,
  ...EUROPEAN_FORMATS,
  ...AMERICAN_FORMATS,
  ...DOCUMENT_AND_DEVICE_FORMATS,
]);

/** Hits may overlap: which one wins depends on what settings look for. Worked out once for each segment. */
export const findEntities = (of: Segment): readonly EntityHit[] => computeOnce(of, findInSegment);

function findInSegment(_: string, of: Segment): readonly EntityHit[] {
  const name = readFieldName(of);
  const hits = findInView(of, computeOnce(of, foldText), name === "" ? "" : `${name}: `);
  const [, ...encoded] = computeOnce(of, decodeViews);
  if (encoded.length === 0) return hits;
  const inside = encoded.flatMap((view) =>
    keepMostConfident(findInView(of, unescapeView(view), "")),
  );
  return [...hits, ...inside];
}

/** What is encoded has one place for all that is found in it: its text must not be read again for each. */
function keepMostConfident(hits: readonly EntityHit[]): EntityHit[] {
  const surest = new Map<string, EntityHit>();
  for (const hit of hits) {
    const place = `${hit.entity} ${hit.start} ${hit.end}`;
    if (hit.confidence > (surest.get(place)?.confidence ?? 0)) surest.set(place, hit);
  }
  return [...surest.values()];
}

/** `label` is read before the text, for what it says about it. */
function findInView(of: Segment, { exact, toOriginal }: View, label: string): EntityHit[] {
  const text = label + foldDigits(exact);
  const secrets = text === of.text ? findPlainSecrets(of) : findSecrets(text);
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
    const isNear = cluesAt(at);
    for (const shape of formatsFor(isDigit, (ends[index] ?? 0) - at)) {
      const { entity, confidence: alone } = shape;
      if (alone === 0 && !isNear) continue;
      const end = shape.findEnd(text, at);
      if (end < 0) continue;
      const confidence = isNear?.(entity, end, shape.isAmbiguous === true)
        ? shape.confidenceWithClue
        : alone;
      if (confidence > 0) hits.push({ entity, start: at, end, confidence });
    }
    if (isDigit) {
      hits.push(
        ...findPhonesAt(text, at, isNear && ((...asked) => isNear("phone_number", ...asked))),
      );
    }
  });
  return hits;
}

const NINE = 0x39;

/** The middle of a longer number (`2024-05-20`), or of a character (`&#128553;`), is tried as the start of nothing. */
function isInsideLongerValue(text: string, at: number): boolean {
  const sign = text.charCodeAt(at - 1);
  if (sign === 0x23) return text.charCodeAt(at - 2) === 0x26;
  if (sign !== 0x2d && sign !== 0x2e && sign !== 0x2f) return false;
  const before = text.charCodeAt(at - 2);
  return before >= 0x30 && before <= NINE;
}
