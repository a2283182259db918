/** Makes a saved version of a policy ready to run: conditions compiled, detectors prepared. */
import type { Direction } from "../contract/evaluate.ts";
import type { Gate, Mode, PolicyDocument, Rule } from "../contract/policies.ts";
import { mapSecrets } from "../lib/json/secret-paths.ts";
import { type ConditionTest, compileCondition } from "./condition.ts";
import type { Inspector } from "./detector.ts";
import { detectors, secretPathsOf } from "./detectors/all.ts";
import { dataLossPrevention } from "./detectors/data-loss-prevention.ts";
import type { SegmentSource } from "./segment.ts";

export interface CompiledGate {
  name: string;
  when: Gate["when"];
  test: ConditionTest;
  action: Gate["action"];
  observe: boolean;
  /** What a transform masks. */
  inspect: Inspector | undefined;
}

export interface CompiledRule {
  detector: { id: string; name: string; kind: string };
  test: ConditionTest;
  action: Rule["action"];
  observe: boolean;
  reads: ReadonlySet<SegmentSource>;
  numbers: boolean;
  remote: boolean;
  inspect: Inspector;
}

export interface CompiledPolicy {
  /** What it was made from, with the secrets of its detectors opened: another thread makes it again. */
  document: PolicyDocument;
  id: string;
  name: string;
  version: number;
  mode: Mode;
  gates: readonly CompiledGate[];
  rules: Readonly<Record<Direction, readonly CompiledRule[]>>;
}

export type OpenSecret = (sealed: string, detector_id: string) => string;

/** `open` returns the text of a stored secret in a detector's settings. */
export function compilePolicy(
  sealed: PolicyDocument,
  { id, version }: { id: string; version: number },
  open: OpenSecret,
): CompiledPolicy {
  const document = { ...sealed, detectors: openDetectorSecrets(sealed, open) };
  /** A policy that only observes has no part that acts. */
  const observes = (mode: Mode | null) => document.mode === "observe" || mode === "observe";
  const gate = ({ name, when, action, mask, mode }: Gate): CompiledGate => ({
    name,
    when,
    test: compileCondition(when),
    action,
    observe: observes(mode),
    inspect: action === "transform" ? dataLossPrevention.prepare(mask ?? {}) : undefined,
  });
  /** Patterns take a while to compile: each detector is prepared once, however many rules use it. */
  const inspects = new Map<string, Inspector>();
  const rules = (direction: Direction): CompiledRule[] =>
    document[`${direction}_rules`]
      .filter(({ enabled }) => enabled)
      .map(({ detector_id, when, action, mode }) => {
        const { name, kind, settings } = document.detectors[detector_id] ?? MISSING_DETECTOR;
        const detector = detectors.get(kind);
        // Checked when it was saved; a kind that a later release drops must not pass silently.
        if (!detector) throw new Error(`There is no detector of the kind ${kind}.`);
        const inspect = inspects.get(detector_id) ?? detector.prepare(settings);
        inspects.set(detector_id, inspect);
        return {
          detector: { id: detector_id, name, kind },
          test: compileCondition(when),
          action,
          observe: observes(mode),
          reads: new Set(detector.reads[direction]),
          numbers: detector.numbers,
          remote: detector.remote,
          inspect,
        };
      });
  return {
    document,
    id,
    name: document.name,
    version,
    mode: document.mode,
    gates: document.gates.filter(({ enabled }) => enabled).map(gate),
    rules: { input: rules("input"), output: rules("output") },
  };
}

/** Of the detectors that run: a secret that no key opens any more breaks no policy that has no use for it. */
function openDetectorSecrets(
  { input_rules, output_rules, detectors: saved }: PolicyDocument,
  open: OpenSecret,
): PolicyDocument["detectors"] {
  const rules = [...input_rules, ...output_rules].filter(({ enabled }) => enabled);
  const used = new Set(rules.map(({ detector_id }) => detector_id));
  return Object.fromEntries(
    Object.entries(saved)
      .filter(([id]) => used.has(id))
      .map(([id, { settings, ...detector }]) => {
        const clear = mapSecrets(settings, secretPathsOf(detector.kind), (text) => open(text, id));
        return [id, { ...detector, settings: clear }];
      }),
  );
}

const MISSING_DETECTOR = { name: "", kind: "", settings: {} };
