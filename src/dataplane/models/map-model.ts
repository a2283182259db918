/** Maps the name of a model that a client sends to the name that a registry's upstream expects. The map is compiled once. */
import { type ModelPolicy, namesOneModel } from "../../contract/gateway/consumers.ts";

interface CompiledMap {
  names: ReadonlyMap<string, string>;
  /** Prefixes of keys with `*`, the longest first. */
  prefixes: readonly { prefix: string; target: string }[];
}

/** Keyed by policies of immutable snapshots: an entry is collected together with its snapshot. */
const compiled = new WeakMap<ModelPolicy, CompiledMap>();

/** Returns the name unchanged if no key matches. An exact key wins over a pattern, a longer pattern over a shorter one. */
export function mapModel(policy: ModelPolicy, model: string): string {
  const { target, rest } = findTarget(policy, model) ?? { target: model, rest: "" };
  return target + rest;
}

/** Returns whether what `*` matched is part of one name: `../x` in place of the `*` of `a/*` would be outside of `a`. */
export const carriesOverName = (policy: ModelPolicy, model: string): boolean =>
  namesOneModel(findTarget(policy, model)?.rest ?? "");

/** Returns the target without its `*`, and what the `*` of its key matched. */
function findTarget(
  policy: ModelPolicy,
  model: string,
): { target: string; rest: string } | undefined {
  if (!policy.map) return undefined;
  let map = compiled.get(policy);
  if (!map) {
    map = compileMap(policy.map);
    compiled.set(policy, map);
  }
  const exact = map.names.get(model);
  if (exact !== undefined) return { target: exact, rest: "" };
  const found = map.prefixes.find(({ prefix }) => model.startsWith(prefix));
  if (!found?.target.endsWith("*")) return found && { target: found.target, rest: "" };
  return { target: found.target.slice(0, -1), rest: model.slice(found.prefix.length) };
}

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
