/** Checks of a configuration file that concern several resources at once. */
import { formatPath } from "../contract/decode.ts";
import type { YamlPath } from "../lib/text/read-yaml.ts";
import { keepExpiry } from "./hashed-resource.ts";
import type { Problem } from "./read-file.ts";
import { adminTokens } from "./resources/admin-tokens.ts";
import type { CurrentItems } from "./resources/all.ts";
import { type ConfigAdminToken, type ConfigFile, ConfigRegistryRef } from "./schema.ts";

export function checkPlan(config: ConfigFile, current: CurrentItems, prune: boolean): Problem[] {
  const problems = prune ? findPrunedReferences(config) : [];
  // Only adminTokens.current makes these items.
  const stored = current.of(adminTokens, "").map(({ item }) => item as ConfigAdminToken);
  if (config.tokens && locksOut(stored, config.tokens, prune)) {
    const message = "tokens: at least one owner of all gateways that never expires must remain";
    problems.push({ path: ["tokens"], message });
  }
  return problems;
}

/** Returns the members that refer to a gateway, registry or collector which `--prune` deletes. */
function findPrunedReferences({ gateways, detectors = [], collectors }: ConfigFile): Problem[] {
  const registries = new Map(
    gateways.map(({ slug, registries }) => [slug, registries.map(({ name }) => name)]),
  );
  const names = collectors?.map(({ name }) => name);
  const paths: YamlPath[] = [];
  const checkGuard = (guard: { collector: string | null } | null | undefined, path: YamlPath) => {
    const name = guard?.collector ?? null;
    if (name !== null && names && !names.includes(name))
      paths.push([...path, "guard", "collector"]);
  };
  for (const [index, { guard, consumers }] of gateways.entries()) {
    const path = ["gateways", index];
    checkGuard(guard, path);
    for (const [at, consumer] of consumers.entries()) {
      const guard = consumer.guard?.off ? null : consumer.guard;
      checkGuard(guard, [...path, "consumers", at]);
    }
  }
  for (const [index, { settings }] of detectors.entries()) {
    const { data: registry } = ConfigRegistryRef.safeParse(settings.registry);
    if (!registry || registries.get(registry.gateway)?.includes(registry.name)) continue;
    paths.push(["detectors", index, "settings", "registry"]);
  }
  for (const [index, { gateway }] of (collectors ?? []).entries()) {
    if (gateway === null || registries.has(gateway)) continue;
    paths.push(["collectors", index, "gateway"]);
  }
  return paths.map((path) => ({
    path,
    message: `${formatPath(path)}: is not in the file, and --prune deletes what is not in the file`,
  }));
}

/** Returns whether no owner would be left who can administer everything. */
function locksOut(
  stored: readonly ConfigAdminToken[],
  listed: readonly ConfigAdminToken[],
  prune: boolean,
): boolean {
  const isOwner = ({ role, gateways, expires_at }: ConfigAdminToken) =>
    role === "owner" && gateways === null && expires_at === null;
  const hashes = new Set(listed.map(({ sha256 }) => sha256));
  const unlisted = prune ? [] : stored.filter(({ sha256 }) => !hashes.has(sha256));
  const known = new Map(stored.map((token) => [token.sha256, token]));
  const saved = listed.map((token) => keepExpiry(known.get(token.sha256), token));
  return stored.some(isOwner) && ![...unlisted, ...saved].some(isOwner);
}
