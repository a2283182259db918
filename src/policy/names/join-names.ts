/** Joins labeled tokens to names. */
import { NUMBER, SIGN, type Words } from "./split-words.ts";

/** Entities by the label of their tokens. Label 0 is no name. */
const ENTITIES = [undefined, "person_name", "location", "organization"] as const;
export type NameEntity = NonNullable<(typeof ENTITIES)[number]>;

export interface NameSpan {
  entity: NameEntity;
  start: number;
  end: number;
  /** Mean probability of the label over the tokens. */
  confidence: number;
}

export function joinNames(
  text: string,
  words: Words,
  { labels, confidences }: { labels: Uint8Array; confidences: Float32Array },
): NameSpan[] {
  const spans: NameSpan[] = [];
  for (let index = 0; index < words.count; index++) {
    const entity = ENTITIES[labels[index] ?? 0];
    if (!entity) continue;
    const first = index;
    let sum = confidences[index] ?? 0;
    let parts = 1;
    let hasNumber = words.kinds[index] === NUMBER;
    // At most one sign separates two parts.
    for (let next = index + 1; next <= index + 2 && next < words.count; next++) {
      if (labels[next] !== labels[first]) continue;
      if (!isJoined(text, words, { last: index, next, entity, hasNumber })) break;
      index = next;
      sum += confidences[next] ?? 0;
      parts++;
      hasNumber ||= words.kinds[next] === NUMBER;
    }
    const start = words.starts[first] ?? 0;
    const end = words.ends[index] ?? 0;
    // A number or a letter alone is not a name.
    if (parts === 1 && (hasNumber || end - start === 1)) continue;
    spans.push({ entity, start, end, confidence: sum / parts });
  }
  return spans;
}

function isJoined(
  text: string,
  { kinds, starts, ends }: Words,
  {
    last,
    next,
    entity,
    hasNumber,
  }: { last: number; next: number; entity: NameEntity; hasNumber: boolean },
): boolean {
  if (next === last + 1) return true;
  if (kinds[last + 1] !== SIGN) return false;
  const between = text.slice(ends[last], starts[next]);
  if (/^['’–-]$/.test(between)) return true;
  // `J. Smith`, `St. Louis`
  if (/^\. ?$/.test(between)) return (ends[last] ?? 0) - (starts[last] ?? 0) <= MAX_ABBREVIATION;
  if (/^ ?& ?$/.test(between)) return entity === "organization";
  if (entity === "person_name" || !/^, ?$/.test(between)) return false;
  // `12 Oak Street, Boise, ID 83702`, `Austin, TX`, `Acme, Inc.`
  return hasNumber || (ends[next] ?? 0) - (starts[next] ?? 0) <= MAX_ABBREVIATION;
}

const MAX_ABBREVIATION = 3;
