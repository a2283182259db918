/** What must change so that detectors, policies and collectors are as a configuration file says? */
import { collectorKeys, serviceClients } from "../contract/collector-keys.ts";
import type { ConfigFile } from "../contract/config-file.ts";
import type { DetectorInput } from "../contract/detectors.ts";
import { collectorKeyTable, serviceClientTable } from "../db/keys.ts";
import type { Deps } from "../deps.ts";
import { diffOf } from "./diff-of.ts";
import type { Draft, Listed } from "./draft-plan.ts";
import { collectorNamed } from "./find-by-name.ts";
import type { HeldLists } from "./plan-held.ts";
import * as save from "./save-guard-by-name.ts";

export function planGuard(
  draft: Draft,
  { current, wanted }: { current: ConfigFile; wanted: ConfigFile },
  {
    diffDetector,
    keys: keyList,
  }: Pick<HeldLists, "keys"> & {
    diffDetector: Listed<DetectorInput>["diff"];
  },
): void {
  draft.list({
    resource: "detector",
    was: current.detectors ?? [],
    will: wanted.detectors,
    identity: "name",
    at: ["detectors"],
    name: ({ name }) => name,
    diff: diffDetector,
    save: save.saveDetector,
    remove: ({ name }) => save.removeDetector(name),
  });
  draft.list({
    resource: "policy",
    was: current.policies ?? [],
    will: wanted.policies,
    identity: "name",
    at: ["policies"],
    name: ({ name }) => name,
    diff: diffOf((policy) => policy),
    save: save.savePolicy,
    remove: ({ name }) => save.removePolicy(name),
  });
  draft.list(
    {
      resource: "collector",
      was: current.collectors ?? [],
      will: wanted.collectors,
      identity: "name",
      at: ["collectors"],
      name: ({ name }) => name,
      diff: diffOf(({ overrides: _, keys: __, service_clients: ___, ...own }) => own),
      save: save.saveCollector,
      remove: ({ name }) => save.removeCollector(name),
    },
    (was, { name: collector, overrides, keys, service_clients }, at) => {
      const within = [collector];
      const holder = async (deps: Deps) => {
        const { id: collector_id, gateway_id } = await collectorNamed(deps, collector);
        return { params: { collector_id }, gateway_id };
      };
      draft.list({
        resource: "override",
        was: was?.overrides ?? [],
        will: overrides,
        identity: "consumer_id",
        at: [...at, "overrides"],
        name: ({ consumer_id }) => `${collector} / ${consumer_id}`,
        diff: diffOf(({ consumer_id: _, ...own }) => own),
        save: (override) => save.saveOverride(collector, override),
        remove: ({ consumer_id }) => save.dropOverride(collector, consumer_id),
      });
      draft.list(
        keyList(
          {
            resource: "collector_key",
            within,
            was: was?.keys ?? [],
            will: keys,
            at: [...at, "keys"],
          },
          { keys: collectorKeys, table: collectorKeyTable, holder },
        ),
      );
      draft.list(
        keyList(
          {
            resource: "service_client",
            within,
            was: was?.service_clients ?? [],
            will: service_clients,
            at: [...at, "service_clients"],
          },
          { keys: serviceClients, table: serviceClientTable, holder },
        ),
      );
    },
  );
}
