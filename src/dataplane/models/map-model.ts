/** Maps the name of a model that a client sends to the name that a registry's upstream expects. The map is compiled once. */
import type { ModelPolicy } from "../../contract/gateway/consumers.ts";

interface CompiledMap {
  names: ReadonlyMap<string, string>;
  /** Prefixes of keys with `*`, the longest first. */
  prefixes: readonly { prefix: string; target: string }[];
}

/** Keyed by policies of immutable snapshots: an entry is collected together with its snapshot. */
const compiled = new WeakMap<ModelPolicy, CompiledMap>();

/** Returns the name unchanged if no key matches. An exact key wins over a pattern, a longer pattern over a shorter one. */
export function mapModel(policy: ModelPolicy, model: string): string {
  if (!policy.map) return model;
  let map = compiled.get(policy);
  if (!map) {
    map = compileMap(policy.map);
    compiled.set(policy, map);
  }
  const exact = map.names.get(model);
  if (exact !== undefined) return exact;
  const found = map.prefixes.find(({ prefix }) => model.startsWith(prefix));
  return found ? carryOver(found.target, model.slice(found.prefix.length)) : model;
}

/** The `*` of a target is what the `*` of its key matched. */
const carryOver = (target: string, rest: string): string =>
  target.endsWith("*") ? target.slice(0, -1) + rest : target;

function compileMap(map: NonNullable<ModelPolicy["map"]>): CompiledMap {
  const entries = Object.entries(map);
  return {
    names: new Map(entries.filter(([key]) => !key.endsWith("*"))),
    prefixes: entries
      .filter(([key]) => key.endsWith("*"))
      .map(([key, target]) => ({ prefix: key.slice(0, -1), target }))
      .sort((one, other) => other.prefix.length - one.prefix.length),
  };
}
