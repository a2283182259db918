/** What must change so that the installation is as a configuration file says? */
import type { ConfigFile, ConfigRegistry } from "../contract/config-file.ts";
import { ConfigRegistryRef } from "../contract/config-guard.ts";
import type { ConfigToken } from "../contract/config-held.ts";
import { consumerKeys } from "../contract/consumer-keys.ts";
import { formatPath } from "../contract/decode.ts";
import type { DetectorInput } from "../contract/detectors.ts";
import { REGISTRY_SECRETS } from "../contract/registries.ts";
import { consumerKeyTable } from "../db/keys.ts";
import type { Deps } from "../deps.ts";
import type { YamlPath } from "../lib/text/read-yaml.ts";
import { currentConfig } from "./current-config.ts";
import { detectorSecretPaths } from "./detector-settings.ts";
import { diffOf, diffSecretsOf } from "./diff-of.ts";
import { draftPlan, type Plan } from "./draft-plan.ts";
import { consumerAt } from "./find-by-name.ts";
import { planGuard } from "./plan-guard.ts";
import { heldLists } from "./plan-held.ts";
import { fromCatalog, installedInstances, planStore } from "./plan-store.ts";
import type { ConfigSource, Problem } from "./read-config-file.ts";
import * as save from "./save-by-name.ts";
import { revokeTokenOf, saveToken } from "./save-held.ts";

/** Reads only. Without `prune` nothing is deleted or revoked. */
export async function planConfig(
  deps: Deps,
  source: ConfigSource,
  options: { prune: boolean },
): Promise<Plan> {
  const current = await currentConfig(deps);
  const wanted = source.config;
  const { held, keys: keyList } = await heldLists(deps);
  const installed = await installedInstances(deps);
  const problems: Problem[] = [];
  const draft = draftPlan(options);
  const diffSecrets = diffSecretsOf(source, problems);
  const diffRegistry = diffSecrets<ConfigRegistry>(() => REGISTRY_SECRETS);
  const diffDetector = diffSecrets<DetectorInput>(({ kind }) => detectorSecretPaths(kind));
  const staying = new Set(wanted.collectors?.map(({ name }) => name));

  draft.list(
    {
      resource: "gateway",
      was: current.gateways,
      will: wanted.gateways,
      identity: "slug",
      at: ["gateways"],
      name: ({ slug }) => slug,
      diff: diffOf(save.ownMembers),
      save: save.saveGateway,
      remove: ({ slug }) => save.removeGateway(slug, staying),
    },
    (was, will, at) => {
      const { slug: gateway, registries, consumers } = will;
      // First: an instance may be of a server that the file adds.
      planStore(draft, was, will, at);
      draft.list({
        resource: "registry",
        was: was?.registries ?? [],
        will: registries,
        identity: "name",
        at: [...at, "registries"],
        name: ({ name }) => `${gateway} / ${name}`,
        diff: (before, after, place) => diffRegistry(before, fromCatalog(before, after), place),
        save: (registry) => save.saveRegistry(gateway, registry),
        remove: ({ name }) => save.removeRegistry(gateway, name),
        needed: ({ name }) => installed(gateway, name),
      });
      draft.list(
        {
          resource: "consumer",
          was: was?.consumers ?? [],
          will: consumers,
          identity: "slug",
          at: [...at, "consumers"],
          name: ({ slug }) => `${gateway} / ${slug}`,
          diff: diffOf(({ keys: _, ...own }) => own),
          save: (consumer) => save.saveConsumer(gateway, consumer),
          remove: ({ slug }) => save.removeConsumer(slug),
        },
        (before, { slug: consumer, keys }, place) =>
          draft.list(
            keyList(
              {
                resource: "consumer_key",
                within: [gateway, consumer],
                was: before?.keys ?? [],
                will: keys,
                at: [...place, "keys"],
              },
              {
                keys: consumerKeys,
                table: consumerKeyTable,
                holder: async (deps) => {
                  const params = await consumerAt(deps, consumer);
                  return { params, gateway_id: params.gateway_id };
                },
              },
            ),
          ),
      );
    },
  );
  planGuard(draft, { current, wanted }, { diffDetector, keys: keyList });
  draft.list(
    held({
      resource: "token",
      within: [],
      was: current.tokens ?? [],
      will: wanted.tokens,
      at: ["tokens"],
      save: saveToken,
      remove: ({ sha256 }) => revokeTokenOf(sha256),
    }),
  );
  if (wanted.tokens && locksOut(current.tokens ?? [], wanted.tokens, options.prune)) {
    const message = "tokens: no owner of all gateways would be left that never expires";
    problems.push({ path: ["tokens"], message });
  }
  if (options.prune) problems.push(...needsWhatGoes(wanted));
  if (problems.length) throw source.refusal(problems);
  return draft.plan();
}

/** A collector or detector must not go on with a gateway or registry that is deleted under it. */
function needsWhatGoes({ gateways, detectors = [], collectors = [] }: ConfigFile): Problem[] {
  const staying = new Map(
    gateways.map(({ slug, registries }) => [slug, registries.map(({ name }) => name)]),
  );
  const problem = (path: YamlPath): Problem => ({
    path,
    message: `${formatPath(path)}: is not in the file, and what is not there goes with --prune`,
  });
  return [
    ...detectors.flatMap(({ settings }, index) => {
      const { data: registry } = ConfigRegistryRef.safeParse(settings.registry);
      if (!registry || staying.get(registry.gateway)?.includes(registry.name)) return [];
      return [problem(["detectors", index, "settings", "registry"])];
    }),
    ...collectors.flatMap(({ gateway }, index) =>
      gateway === null || staying.has(gateway) ? [] : [problem(["collectors", index, "gateway"])],
    ),
  ];
}

/** Nobody locks themselves out with a file: one owner of everything stays. */
function locksOut(current: ConfigToken[], wanted: ConfigToken[], prune: boolean): boolean {
  const isOwner = ({ role, gateways, expires_at }: ConfigToken) =>
    role === "owner" && gateways === null && expires_at === null;
  const listed = new Set(wanted.map(({ sha256 }) => sha256));
  const staying = prune ? [] : current.filter(({ sha256 }) => !listed.has(sha256));
  return current.some(isOwner) && ![...staying, ...wanted].some(isOwner);
}
