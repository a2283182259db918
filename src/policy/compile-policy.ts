/** Compiles a saved version of a policy: its conditions and its detectors. */
import { AppError } from "../contract/errors.ts";
import type { TextOrigin } from "../contract/guard/actions.ts";
import type { Direction } from "../contract/guard/evaluate.ts";
import type { Gate, Mode, PolicyDocument, Rule } from "../contract/guard/policies.ts";
import { sealedWith } from "../lib/crypto/seal.ts";
import { collectSecrets, mapSecrets } from "../lib/json/secret-paths.ts";
import { type ConditionTest, compileCondition } from "./condition.ts";
import type { Detector, Inspector } from "./detector.ts";
import { detectors, secretPathsOf } from "./detectors/all.ts";
import { dataLossPrevention } from "./detectors/data-loss-prevention.ts";
import type { SegmentSource } from "./segment.ts";

export interface CompiledGate {
  name: string;
  when: Gate["when"];
  test: ConditionTest;
  action: Gate["action"];
  observe: boolean;
  /** Finds what a transform masks. Undefined for other actions. */
  inspect: Inspector | undefined;
}

export interface CompiledRule {
  detector: { id: string; name: string; kind: string };
  test: ConditionTest;
  action: Rule["action"];
  observe: boolean;
  reads: ReadonlySet<SegmentSource>;
  /** Undefined: the rule reads texts of every origin. */
  origins: ReadonlySet<TextOrigin> | undefined;
  separatesFiles: boolean;
  numbers: boolean;
  remote: boolean;
  scores: boolean;
  accumulates: boolean;
  comparesSystemPrompt: boolean;
  inspect: Inspector;
}

export interface CompiledPolicy {
  /** The source, with decrypted detector secrets: a worker compiles it again. */
  document: PolicyDocument;
  id: string;
  name: string;
  version: number;
  mode: Mode;
  gates: readonly CompiledGate[];
  rules: Readonly<Record<Direction, readonly CompiledRule[]>>;
}

/** Version of a draft, which is not stored. */
export const DRAFT_VERSION = 0;

/** Returns undefined for a secret that no key decrypts. */
export type OpenSecret = (sealed: string, detector_id: string) => string | undefined;

/** Compiles `sealed`, whose detector secrets are decrypted by `open`. */
export function compilePolicy(
  sealed: PolicyDocument,
  { id, version }: { id: string; version: number },
  open: OpenSecret,
): CompiledPolicy {
  const document = { ...sealed, detectors: openDetectorSecrets(sealed, open) };
  /** Observe mode of the policy overrides the mode of its gates and rules. */
  const observes = (mode: Mode | null) => document.mode === "observe" || mode === "observe";
  const compileGate = ({ name, when, action, mask, mode }: Gate): CompiledGate => ({
    name,
    when,
    test: compileCondition(when),
    action,
    observe: observes(mode),
    inspect: action === "transform" ? dataLossPrevention.prepare(mask ?? {}) : undefined,
  });
  /** Prepared detectors by id: compiling patterns is slow, and several rules may share a detector. */
  const inspects = new Map<string, Inspector>();
  const compileRule = (rule: Rule, direction: Direction): CompiledRule => {
    const { detector_id, when, action, mode } = rule;
    const { name, kind, settings } = document.detectors[detector_id] ?? MISSING_DETECTOR;
    const detector = detectors.get(kind);
    // Validated on save. A later release may remove the kind.
    if (!detector) throw new Error(`Unknown detector kind ${JSON.stringify(kind)}.`);
    checkSecrets(settings, kind);
    const inspect = inspects.get(detector_id) ?? detector.prepare(settings);
    inspects.set(detector_id, inspect);
    return {
      detector: { id: detector_id, name, kind },
      test: compileCondition(when),
      action,
      observe: observes(mode),
      reads: new Set(detector.reads[direction]),
      origins: selectOrigins(rule, detector),
      separatesFiles: detector.separatesFiles,
      numbers: detector.numbers,
      remote: detector.remote,
      scores: detector.scores,
      accumulates: detector.accumulates,
      comparesSystemPrompt: detector.comparesSystemPrompt,
      inspect,
    };
  };
  const gates: CompiledGate[] = [];
  /** Rules in place of the gates that cannot be compiled. They have the id of the policy, because a gate has none. */
  const failing: CompiledRule[] = [];
  for (const gate of document.gates.filter(({ enabled }) => enabled)) {
    try {
      gates.push(compileGate(gate));
    } catch (cause) {
      failing.push(createFailingRule({ id, name: gate.name, kind: "gate" }, cause));
    }
  }
  const rules = (direction: Direction): CompiledRule[] => [
    ...failing,
    ...document[`${direction}_rules`]
      .filter(({ enabled }) => enabled)
      .map((rule) => {
        try {
          return compileRule(rule, direction);
        } catch (cause) {
          const { detector_id } = rule;
          const { name, kind } = document.detectors[detector_id] ?? MISSING_DETECTOR;
          return createFailingRule({ id: detector_id, name, kind }, cause);
        }
      }),
  ];
  return {
    document,
    id,
    name: document.name,
    version,
    mode: document.mode,
    gates,
    rules: { input: rules("input"), output: rules("output") },
  };
}

/** Origins of text that a program reads and can do without. */
export const WITHHELD_ORIGINS: readonly TextOrigin[] = ["tool_result", "document"];

function selectOrigins(
  { action, origins }: Rule,
  detector: Pick<Detector, "origins">,
): CompiledRule["origins"] {
  const selected = origins ?? detector.origins;
  if (action !== "withhold") return selected && new Set(selected);
  return new Set(WITHHELD_ORIGINS.filter((origin) => selected?.includes(origin) ?? true));
}

/** Rejects settings with a secret that is still sealed. */
function checkSecrets(settings: object, kind: string): void {
  const secrets = collectSecrets(settings, secretPathsOf(kind)).values();
  if (!secrets.some((secret) => sealedWith(secret) !== undefined)) return;
  throw new AppError(
    "detector_failed",
    "The secret of the detector cannot be decrypted. Set it again, or restore the encryption key.",
  );
}

/** Returns a rule that always fails, in place of one that cannot be compiled: the fail mode of the collector decides. */
const createFailingRule = (detector: CompiledRule["detector"], cause: unknown): CompiledRule => ({
  detector,
  test: () => true,
  action: "block",
  observe: false,
  // A stream is held until it has failed.
  reads: new Set(["assistant"]),
  origins: undefined,
  separatesFiles: false,
  numbers: false,
  remote: false,
  scores: false,
  accumulates: false,
  comparesSystemPrompt: false,
  inspect: () => {
    throw cause;
  },
});

/** Returns the detectors that enabled rules use, decrypted. A secret that cannot be decrypted remains sealed. */
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
        const clear = mapSecrets(
          settings,
          secretPathsOf(detector.kind),
          (text) => open(text, id) ?? text,
        );
        return [id, { ...detector, settings: clear }];
      }),
  );
}

const MISSING_DETECTOR = { name: "", kind: "", settings: {} };
