/** Measures names that were found against labels: a hit has the same kind and covers at least half of the union. */
import type { NameModel } from "../../src/policy/names/name-model.ts";
import type { TextSpan } from "../../src/policy/views/source-map.ts";
import type { LabeledSpan, LabeledText } from "./labeled-text.ts";

const LABELS = {
  person_name: "person",
  location: "location",
  organization: "organization",
} as const;
const MIN_CONFIDENCE = 0.5;
const MIN_OVERLAP = 0.5;

export interface Score {
  precision: number;
  recall: number;
  f1: number;
  count: number;
}

/** `onError` receives a description of each name that was missed or wrong. */
export function measure(
  model: NameModel,
  texts: readonly LabeledText[],
  onError: (error: string) => void = () => {},
): Record<LabeledSpan["label"], Score> {
  const counts = {
    person: { found: 0, expected: 0, hits: 0 },
    location: { found: 0, expected: 0, hits: 0 },
    organization: { found: 0, expected: 0, hits: 0 },
  };
  for (const { text, spans } of texts) {
    const lower = text.toLowerCase();
    if (lower.length !== text.length) continue;
    const missed = new Set(spans);
    for (const name of model.findNames(text, lower)) {
      if (name.confidence < MIN_CONFIDENCE) continue;
      const label = LABELS[name.entity];
      counts[label].found++;
      const hit = [...missed].find(
        (span) => span.label === label && overlap(name, span) >= MIN_OVERLAP,
      );
      if (hit) {
        missed.delete(hit);
        counts[label].hits++;
      } else onError(`wrong ${label}: ${excerpt(text, name)}`);
    }
    for (const { label } of spans) counts[label].expected++;
    for (const span of missed) onError(`missed ${span.label}: ${excerpt(text, span)}`);
  }
  const { person, location, organization } = counts;
  return {
    person: toScore(person),
    location: toScore(location),
    organization: toScore(organization),
  };
}

function toScore({
  found,
  expected,
  hits,
}: {
  found: number;
  expected: number;
  hits: number;
}): Score {
  const precision = hits / (found || 1);
  const recall = hits / (expected || 1);
  const f1 = (2 * precision * recall) / (precision + recall || 1);
  return { precision, recall, f1, count: expected };
}

const excerpt = (text: string, { start, end }: TextSpan) =>
  `${text.slice(Math.max(0, start - 40), start)}<${text.slice(start, end)}>${text.slice(end, end + 30)}`.replace(
    /\n/g,
    "⏎",
  );

const overlap = (one: TextSpan, other: TextSpan) => {
  const shared = Math.min(one.end, other.end) - Math.max(one.start, other.start);
  return shared / (Math.max(one.end, other.end) - Math.min(one.start, other.start));
};
