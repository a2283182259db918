/** Finds all entities of a segment. Settings select among them later, so that rules share the result. */

import { CHARACTERS_PER_TURN, finishSteps, type InspectionSteps } from "../inspect-texts.ts";
import { findSecrets } from "../secrets/find-secrets.ts";
import { findPlainSecrets } from "../secrets/find-segment-secrets.ts";
import { computeInSteps, computeOnce, type Segment } from "../segment.ts";
import { readViews } from "../views/find-open-in-views.ts";
import type { TextSpan } from "../views/source-map.ts";
import { foldText, type View } from "../views/view.ts";
import { AMERICAN_FORMATS } from "./american-formats.ts";
import { ASIA_PACIFIC_FORMATS } from "./asia-pacific-formats.ts";
import { type ClueLookup, createClueLookup } from "./clue-lookup.ts";
import { DOCUMENT_AND_DEVICE_FORMATS, UUID_FORMAT } from "./document-and-device-formats.ts";
import type { EntityHit } from "./entities.ts";
import { type EntityFormat, indexFormats } from "./entity-format.ts";
import { EUROPEAN_FORMATS } from "./european-formats.ts";
import { FINANCIAL_FORMATS } from "./financial-formats.ts";
import { findEmails } from "./find-emails.ts";
import { findPasswordAfterClue } from "./find-password-after-clue.ts";
import { findPhoneAt, isPlannedPhone } from "./find-phones.ts";
import { foldDigits } from "./fold-digits.ts";
import { HEALTH_FORMATS } from "./health-formats.ts";
import { createIdentifierColumns } from "./identifier-labels.ts";
import { isInDump, isMachineValue, isWeak, type LocatedValue } from "./is-machine-value.ts";
import { NORTHERN_AND_EASTERN_FORMATS } from "./northern-and-eastern-formats.ts";
import { readFieldName } from "./read-field-name.ts";
import { scanWords } from "./scan-words.ts";
import { toCredentialHits } from "./to-credential-hits.ts";

const FORMATS: readonly EntityFormat[] = [
  UUID_FORMAT,
  ...FINANCIAL_FORMATS,
  ...EUROPEAN_FORMATS,
  ...AMERICAN_FORMATS,
  ...NORTHERN_AND_EASTERN_FORMATS,
  ...ASIA_PACIFIC_FORMATS,
  ...HEALTH_FORMATS,
  ...DOCUMENT_AND_DEVICE_FORMATS,
];
export const formatsFor = indexFormats(FORMATS);
/** Formats that count without a clue. */
const uncluedFormatsFor = indexFormats(FORMATS.filter(({ confidence }) => confidence > 0));

/** Returns all hits, which may overlap: which one wins depends on the settings. Memoized per segment. */
export const findEntities = (segment: Segment): readonly EntityHit[] =>
  computeOnce(segment, findInSegment);

/** Finds the entities of a long text, so that `findEntities` need not. */
export const findEntitiesInSteps = (segment: Segment): InspectionSteps<unknown> =>
  computeInSteps(segment, findInSegment, listSegmentSteps);

const findInSegment = (_: string, segment: Segment): readonly EntityHit[] =>
  finishSteps(listSegmentSteps(segment));

function* listSegmentSteps(segment: Segment): InspectionSteps<readonly EntityHit[]> {
  const name = readFieldName(segment);
  const folded = computeOnce(segment, foldText);
  const hits = yield* listViewSteps(segment, folded, name === "" ? "" : `${name}: `);
  const [, ...encoded] = readViews(segment);
  if (encoded.length === 0) return hits;
  const inside: EntityHit[] = [];
  for (const view of encoded) {
    for (const hit of keepMostConfident(yield* listViewSteps(segment, view, ""))) inside.push(hit);
  }
  const known = new Set(hits.map(toKey));
  return [...hits, ...inside.filter((hit) => !known.has(toKey(hit)))];
}

const toKey = ({ entity, start, end }: EntityHit): string => `${entity} ${start} ${end}`;

/** Drops duplicates: all hits inside an encoded run map to the same span. */
function keepMostConfident(hits: readonly EntityHit[]): EntityHit[] {
  const best = new Map<string, EntityHit>();
  for (const hit of hits) {
    const key = toKey(hit);
    if (hit.confidence > (best.get(key)?.confidence ?? 0)) best.set(key, hit);
  }
  return [...best.values()];
}

/** Finds entities in a view. `label` is prepended as context for clue words. */
function* listViewSteps(
  segment: Segment,
  { exact, toOriginal }: View,
  label: string,
): InspectionSteps<EntityHit[]> {
  const text = label + foldDigits(exact);
  const secrets = text === segment.text ? findPlainSecrets(segment) : findSecrets(text);
  const personal = yield* listPersonalDataSteps(text);
  const hits = secrets.length === 0 ? personal : [...toCredentialHits(text, secrets), ...personal];
  // Millions of hits, if copied, would take hundreds of megabytes.
  if (hits.length === 0 || (exact === segment.text && label === "")) return hits;
  const locate = ({ start, end }: TextSpan) =>
    toOriginal(Math.max(0, start - label.length), end - label.length);
  return hits
    .filter(({ start }) => start >= label.length)
    .map((hit) => {
      const { entity, confidence, whole } = hit;
      const { start, end } = locate(hit);
      const located = { entity, start, end, confidence };
      return whole ? { ...located, whole: locate(whole) } : located;
    });
}

function* listPersonalDataSteps(text: string): InspectionSteps<EntityHit[]> {
  const words = scanWords(text);
  const { starts, ends, clues } = words;
  const hits = findEmails(text);
  for (const clue of clues) {
    const password = clue.precedesPassword && findPasswordAfterClue(text, clue);
    if (password) hits.push(password);
  }

  const near = createClueLookup(text, clues);
  const isIdentifierColumn = createIdentifierColumns(text);
  let index = 0;
  const rate = (value: RatedValue) => {
    const { entity, confidence, end, isValidAt } = value;
    if (isInDump(text, starts[index] ?? 0, end)) return Math.min(confidence, UNCERTAIN);
    if (near.indicate(entity, end, value.clueScope ?? "sentence")) return value.confidenceWithClue;
    if (!isWeak(confidence)) return confidence;
    const located = { text, index, words, end, confidence, isIdentifierColumn, isValidAt };
    return isMachineValue(located) ? UNCERTAIN : confidence;
  };

  let uuidEnd = 0;
  /** Reads the values that start before `limit`. Returns whether more follow. */
  const readTo = (limit: number): boolean => {
    for (; index < starts.length; index++) {
      const at = starts[index] ?? 0;
      if (at >= limit) return true;
      if (at < uuidEnd || isInsideLongerValue(text, at)) continue;
      const isDigit = text.charCodeAt(at) <= NINE;
      const hasClue = near.moveTo(at);
      const wordEnd = ends[index] ?? 0;
      const length = wordEnd - at;
      const isLong = length > MAX_SHORT_WORD || isJoined(text, wordEnd, isDigit);
      const formats = hasClue
        ? formatsFor(isDigit, length)
        : isLong
          ? uncluedFormatsFor(isDigit, length)
          : [];
      for (const format of formats) {
        const { entity } = format;
        if (format.confidence === 0 ? !near.mention(entity) : !isLong) continue;
        const end = format.findEnd(text, at);
        if (end < 0) continue;
        const isValidAt = (other: number) => format.findEnd(text, other) === other + end - at;
        const confidence = rate({ ...format, end, isValidAt });
        if (confidence > 0) hits.push({ entity, start: at, end, confidence });
        if (format === UUID_FORMAT) {
          uuidEnd = end;
          break;
        }
      }
      if (isDigit && at >= uuidEnd) addPhone(hits, text, at, { near, rate });
    }
    return false;
  };
  for (let limit = CHARACTERS_PER_TURN; readTo(limit); limit += CHARACTERS_PER_TURN) {
    yield CHARACTERS_PER_TURN;
  }
  return hits;
}

/** Adds the phone number at `at`. A Spanish number is two entities. */
function addPhone(
  hits: EntityHit[],
  text: string,
  at: number,
  { near, rate }: { near: ClueLookup; rate: (value: RatedValue) => number },
): void {
  const phone = findPhoneAt(text, at, near.mention("phone_number"));
  if (!phone) return;
  const { start, end, isSpanish } = phone;
  const confidence = rate({
    ...phone,
    entity: "phone_number",
    confidenceWithClue: Math.max(phone.confidence, 0.75),
    isValidAt: (other) => isPlannedPhone(text.slice(other, other + end - at)),
  });
  if (confidence === 0) return;
  if (isSpanish) hits.push({ entity: "spanish_phone", start, end, confidence });
  hits.push({ entity: "phone_number", start, end, confidence });
}

type RatedValue = Pick<EntityFormat, "entity" | "confidence" | "confidenceWithClue" | "clueScope"> &
  Pick<LocatedValue, "end" | "isValidAt">;

/** A value that counts without a clue is longer, or more follows after a sign. */
const MAX_SHORT_WORD = 6;

/** Detects a sign or a line end that continues a value: `123-45`, `12.AB`, `1 85`, `fe80::`, `GB82 WEST`. */
function isJoined(text: string, end: number, isDigit: boolean): boolean {
  const sign = text.charCodeAt(end);
  const next = text.charCodeAt(end + 1);
  if (next >= 0x30 && next <= NINE + 1) return true;
  if (isDigit && (sign === LF || sign === CR || next === LF || next === CR))
    return WRAP.test(text.slice(end, end + 13));
  return (
    (sign !== SPACE || !isDigit) && sign < 0x40 && (next | 0x20) >= 0x61 && (next | 0x20) <= 0x7a
  );
}

const SPACE = 0x20;
const LF = 0x0a;
const CR = 0x0d;
const WRAP = /^[ -]?\r?\n[ >]{0,8}\d/;

/** Confidence of a value that only resembles an entity. */
const UNCERTAIN = 0.4;

const NINE = 0x39;

/**
 * Detects a start inside a longer number (`2024-05-20`, `10:30:45.123456`), a longer identifier (`e29b-41d4`), or a
 * character reference (`&#128553;`).
 */
export function isInsideLongerValue(text: string, at: number): boolean {
  const sign = text.charCodeAt(at - 1);
  if (sign === 0x23) return text.charCodeAt(at - 2) === 0x26;
  if (sign !== 0x2d && sign !== 0x2e && sign !== 0x2f && sign !== COLON) return false;
  const before = text.charCodeAt(at - 2);
  if (before >= 0x30 && before <= NINE) return true;
  return sign === 0x2d && HEX_GROUP.test(text.slice(Math.max(0, at - 14), at - 1));
}

const COLON = 0x3a;
/** Letters and digits, or hexadecimal letters only. */
const HEX_GROUP = /(?:\d[0-9A-Za-z]{0,11}|(?<![0-9A-Za-z])(?:[a-f]{4}|[a-f]{8}))$/;
