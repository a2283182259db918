/** Inspects texts with signatures and the administrator's custom patterns. */
import type { Inspector, Match } from "../detector.ts";
import { inspectMessages } from "../inspect-messages.ts";
import type { Segment } from "../segment.ts";
import { type CustomPatterns, compileCustomPatterns } from "./custom-patterns.ts";
import { type LiteralScan, scanLeetspeak, scanLiterals } from "./scan-literals.ts";
import { findSignature, type Signature } from "./signature.ts";

interface SignatureOptions<Label extends string> {
  type: string;
  signatures: readonly Signature<Label>[];
  labels: readonly Label[];
  custom: CustomPatterns;
  threshold: number;
}

/** Creates an inspector that returns, per text, the match of highest confidence for each label. */
export function createSignatureInspector<Label extends string>(
  options: SignatureOptions<Label>,
): Inspector {
  const labels = new Set(options.labels);
  const enabled = new Set<Signature>(options.signatures.filter(({ label }) => labels.has(label)));
  const custom = compileCustomPatterns(options.custom);

  const inspect = (segment: Segment): Match[] => {
    const scans = scanLiterals(segment);
    const leetScans = scanLeetspeak(segment);
    const best = new Map<string, Match>();
    const keep = (label: string, confidence: number, at: { start: number; end: number }) => {
      if (confidence < options.threshold) return;
      if (confidence <= (best.get(label)?.confidence ?? -1)) return;
      const { start, end } = at;
      best.set(label, { label, type: options.type, confidence, at: { segment, start, end } });
    };
    const inspectScan = ({ view, windows: windowsBySignature }: LiteralScan) => {
      for (const [signature, windows] of windowsBySignature) {
        const { label, argumentConfidence, proseConfidence, namesOnly } = signature;
        if (!enabled.has(signature) || (namesOnly && !segment.isName)) continue;
        const match = findSignature(signature, view.text, windows);
        if (!match) continue;
        const confidence =
          segment.source === "tool_arguments" ? argumentConfidence : proseConfidence;
        keep(label, confidence, view.toOriginal(match.start, match.end));
      }
    };
    scans.forEach(inspectScan);
    leetScans.forEach(inspectScan);
    for (const { view } of scans) {
      for (const find of custom) {
        const hit = find(view);
        if (hit) keep(hit.name, 1, hit);
      }
    }
    return best.size === 0 ? [] : [...best.values()];
  };
  return inspectMessages(inspect);
}

/** Returns the labels that are listed and enabled, or all labels if the list is empty. */
export function selectEnabled<Label extends string>(
  all: readonly Label[],
  switches: readonly { label: Label; enabled: boolean }[],
): readonly Label[] {
  if (switches.length === 0) return all;
  return switches.filter(({ enabled }) => enabled).map(({ label }) => label);
}
