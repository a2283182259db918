/** Checks a model against a consumer's allow-list at a registry. The list is compiled once. */
import { type ModelPolicy, namesOneModel } from "../../contract/gateway/consumers.ts";
import { compileGlobs } from "../../lib/text/glob.ts";
import type { ConsumerView } from "../../snapshot/snapshot.ts";
import { carriesOverName } from "./map-model.ts";

/** Returns whether a model that the gateway does not read could bypass an allow-list or a map of names. */
export const limitsModels = ({ registries }: ConsumerView): boolean =>
  registries.some(({ models }) => models.allowed || models.map);

interface AllowList {
  names: ReadonlySet<string>;
  matchesPattern: (model: string) => boolean;
}

/** Keyed by policies of immutable snapshots: an entry is collected together with its snapshot. */
const compiled = new WeakMap<ModelPolicy, AllowList>();

export function isModelAllowed(policy: ModelPolicy, model: string): boolean {
  if (!policy.allowed) return carriesOverName(policy, model);
  let list = compiled.get(policy);
  if (!list) {
    const isPattern = (entry: string) => entry.includes("*");
    list = {
      names: new Set(policy.allowed.filter((entry) => !isPattern(entry))),
      matchesPattern: compileGlobs(policy.allowed.filter(isPattern)),
    };
    compiled.set(policy, list);
  }
  if (list.names.has(model)) return true;
  return namesOneModel(model) && list.matchesPattern(model) && carriesOverName(policy, model);
}
