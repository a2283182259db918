/** From signatures and an administrator's own patterns to the matches of a detector. */

import { type Inspector, inspectEach, type Match } from "../detector.ts";
import { computeOnce, type Segment } from "../segment.ts";
import { decodeViews } from "../views/view.ts";
import { type CustomPatterns, compileCustomPatterns } from "./custom-patterns.ts";
import { scanLiterals } from "./scan-literals.ts";
import { findSignature, type Signature } from "./signature.ts";

interface SignatureOptions<Label extends string> {
  type: string;
  signatures: readonly Signature<Label>[];
  labels: readonly Label[];
  custom: CustomPatterns;
  threshold: number;
}

/** The surest match of each label in each text: one is enough to act on, and says where. */
export function createSignatureInspector<Label extends string>(
  asked: SignatureOptions<Label>,
): Inspector {
  const labels = new Set(asked.labels);
  const wanted = new Set<Signature>(asked.signatures.filter(({ label }) => labels.has(label)));
  const custom = compileCustomPatterns(asked.custom);

  const inspect = (segment: Segment): Match[] => {
    const looked = scanLiterals(segment);
    const views = computeOnce(segment, decodeViews);
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
        const { label, argumentConfidence, proseConfidence, namesOnly } = signature;
        if (!wanted.has(signature) || (namesOnly && !segment.isName)) continue;
        const match = findSignature(signature, view.text, windows);
        if (!match) continue;
        const confidence =
          segment.source === "tool_arguments" ? argumentConfidence : proseConfidence;
        keep(label, confidence, view.toOriginal(match.start, match.end));
      }
      for (const find of custom) {
        const hit = find(view);
        if (hit) keep(hit.name, 1, hit);
      }
    }
    return [...surest.values()];
  };
  return inspectEach(inspect);
}

/** The labels that a list of switches leaves on. An empty list switches nothing off. */
export function selectEnabled<Label extends string>(
  all: readonly Label[],
  switches: readonly { label: Label; enabled: boolean }[],
): readonly Label[] {
  if (switches.length === 0) return all;
  return switches.filter(({ enabled }) => enabled).map(({ label }) => label);
}
