/** Selects the rules of a policy that act on the text of a response before it is complete. */
import type { CompiledPolicy } from "../compile-policy.ts";
import type { FactLookup } from "../condition.ts";
import { originsOf } from "../segment.ts";
import type { StreamRule } from "./text-stream.ts";

export interface StreamRules {
  /** True: a gate or rule can decide only about the complete response. */
  needs_whole: boolean;
  rules: readonly StreamRule[];
}

const TEXT = { source: "assistant", isFile: false } as const;
const NEEDS_WHOLE: StreamRules = { needs_whole: true, rules: [] };

/** `facts` are those of the response before its first text: no tool was called yet. */
export function selectStreamRules(
  { gates, rules }: CompiledPolicy,
  facts: FactLookup,
  disabled: ReadonlySet<string>,
): StreamRules {
  let readsTool = false;
  const lookup: FactLookup = (field) => {
    readsTool ||= field.startsWith("tool.");
    return facts(field);
  };
  for (const { action, observe, test } of gates) {
    // The response exists already: an approval could not prevent it.
    if (action === "ask") continue;
    const applies = test(lookup);
    if (readsTool) return NEEDS_WHOLE;
    if (applies && action === "skip") return { needs_whole: false, rules: [] };
    if (applies && !observe) return NEEDS_WHOLE;
  }
  const selected: StreamRule[] = [];
  for (const { detector, action, observe, reads, origins, test, inspect } of rules.output) {
    // Output rules cannot ask, and text of the model is not withheld.
    if (observe || (action !== "block" && action !== "transform")) continue;
    if (disabled.has(detector.id)) continue;
    if (!reads.has("assistant")) continue;
    if (origins && !originsOf(TEXT).some((origin) => origins.has(origin))) continue;
    const applies = test(lookup);
    if (readsTool) return NEEDS_WHOLE;
    if (!applies) continue;
    const { partial } = inspect;
    if (!partial) return NEEDS_WHOLE;
    selected.push({ action, detector, inspect, partial });
  }
  return { needs_whole: false, rules: selected };
}
