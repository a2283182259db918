/** From signatures and an administrator's own patterns to the matches of a detector. */
import { type CustomPatterns, customScans } from "./custom-patterns.ts";
import { type Inspect, type Match, textByText } from "./detector.ts";
import { lookOnce } from "./look-once.ts";
import { once, type Segment } from "./segment.ts";
import { matchOf, type Signature } from "./signatures.ts";
import { decoded } from "./views.ts";

interface Asked<Label extends string> {
  type: string;
  signatures: readonly Signature<Label>[];
  labels: readonly Label[];
  custom: CustomPatterns;
  threshold: number;
}

/** The surest match of each label in each text: one is enough to act on, and says where. */
export function inspectSignatures<Label extends string>(asked: Asked<Label>): Inspect {
  const labels = new Set(asked.labels);
  const wanted = new Set<Signature>(asked.signatures.filter(({ label }) => labels.has(label)));
  const custom = customScans(asked.custom);

  const inspect = (segment: Segment): Match[] => {
    const looked = lookOnce(segment);
    const views = once(segment, decoded);
    if (custom.length === 0 && looked.every(({ windows }) => windows.size === 0)) return [];
    const surest = new Map<string, Match>();
    const keep = (label: string, confidence: number, at: { start: number; end: number }) => {
      if (confidence < asked.threshold) return;
      if (confidence <= (surest.get(label)?.confidence ?? -1)) return;
      const { start, end } = at;
      surest.set(label, { label, type: asked.type, confidence, at: { segment, start, end } });
    };
    for (const [number, view] of views.entries()) {
      for (const [signature, windows] of looked[number]?.windows ?? []) {
        const { label, argument, prose, inNames } = signature;
        if (!wanted.has(signature) || (inNames && !segment.isName)) continue;
        const match = matchOf(signature, view.text, windows);
        if (!match) continue;
        const confidence = segment.source === "tool_arguments" ? argument : prose;
        keep(label, confidence, view.span(match.start, match.end));
      }
      for (const find of custom) {
        const hit = find(view);
        if (hit) keep(hit.name, 1, hit);
      }
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
