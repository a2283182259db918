/** From signatures and an administrator's own patterns to the matches of a detector. */
import { type CustomPatterns, customScan } from "./custom-patterns.ts";
import { type Inspect, type Match, textByText } from "./detector.ts";
import { once, type Segment } from "./segment.ts";
import type { Hit } from "./signatures.ts";
import { decoded, type View } from "./views.ts";

interface Asked<Label extends string> {
  type: string;
  scan: (view: View) => readonly Hit<Label>[];
  labels: readonly Label[];
  custom: CustomPatterns;
  threshold: number;
}

/** The surest match of each label in each text: one is enough to act on, and says where. */
export function inspectSignatures<Label extends string>(asked: Asked<Label>): Inspect {
  const wanted = new Set(asked.labels);
  const custom = customScan(asked.custom);

  const inspect = (segment: Segment): Match[] => {
    const surest = new Map<string, Match>();
    const keep = (label: string, confidence: number, at: { start: number; end: number }) => {
      if (confidence < asked.threshold) return;
      if (confidence <= (surest.get(label)?.confidence ?? -1)) return;
      const { start, end } = at;
      surest.set(label, { label, type: asked.type, confidence, at: { segment, start, end } });
    };
    for (const view of once(segment, decoded)) {
      for (const hit of asked.scan(view)) {
        const { label, argument, prose, inNames } = hit.signature;
        if (wanted.has(label) && (!inNames || segment.isName)) {
          keep(label, segment.source === "tool_arguments" ? argument : prose, hit);
        }
      }
      for (const hit of custom(view)) keep(hit.name, 1, hit);
    }
    return [...surest.values()];
  };
  return textByText(inspect);
}

/** The labels that a list of switches leaves on. An empty list switches nothing off. */
export function switchedOn<Label extends string>(
  all: readonly Label[],
  switches: readonly { label: Label; enabled: boolean }[],
): readonly Label[] {
  if (switches.length === 0) return all;
  return switches.filter(({ enabled }) => enabled).map(({ label }) => label);
}
