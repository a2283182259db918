/** May a consumer use this model at this registry? The allow list, made ready once for many questions. */
import { type ModelPolicy, matchesModel } from "../contract/consumers.ts";

interface Compiled {
  literal: ReadonlySet<string>;
  patterns: readonly string[];
}

/** A policy is part of an immutable snapshot, so what is made of it lives as long. */
const compiled = new WeakMap<ModelPolicy, Compiled>();

export function isModelAllowed(policy: ModelPolicy, model: string): boolean {
  if (!policy.allowed) return true;
  let list = compiled.get(policy);
  if (!list) {
    const isPattern = (entry: string) => entry.includes("*");
    list = {
      literal: new Set(policy.allowed.filter((entry) => !isPattern(entry))),
      patterns: policy.allowed.filter(isPattern),
    };
    compiled.set(policy, list);
  }
  return list.literal.has(model) || list.patterns.some((entry) => matchesModel(entry, model));
}
