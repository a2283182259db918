/** Saves and removes detectors, policies, collectors and overrides by the names a configuration file uses. */

import { perform } from "../admin/perform.ts";
import { collectors, removeOverride, setOverride } from "../contract/collectors.ts";
import type { ConfigCollector, ConfigOverride, ConfigPolicy } from "../contract/config-guard.ts";
import { type DetectorInput, detectors } from "../contract/detectors.ts";
import { type PolicyInput, policies } from "../contract/policies.ts";
import { collectorTable } from "../db/collectors.ts";
import { detectorTable } from "../db/detectors.ts";
import { policyTable } from "../db/policies.ts";
import type { Deps } from "../deps.ts";
import { storedSettings } from "./detector-settings.ts";
import type { Run } from "./draft-plan.ts";
import { collectorAt, found, named } from "./find-by-name.ts";

export function saveDetector(detector: DetectorInput): Run {
  return async (deps, actor) => {
    const body = { ...detector, settings: await storedSettings(deps, detector) };
    const row = await detectorTable.find(deps.db, { name: detector.name });
    return row
      ? await perform(deps, actor, detectors.update, { params: { detector_id: row.id }, body })
      : await perform(deps, actor, detectors.create, { body });
  };
}

export function removeDetector(name: string): Run {
  return async (deps, actor) => {
    const row = found(await detectorTable.find(deps.db, { name }), "detector");
    return await perform(deps, actor, detectors.remove, { params: { detector_id: row.id } });
  };
}

export function savePolicy(policy: ConfigPolicy): Run {
  return async (deps, actor) => {
    const body: PolicyInput = {
      ...policy,
      input_rules: await rulesById(deps, policy, "input_rules"),
      output_rules: await rulesById(deps, policy, "output_rules"),
    };
    const row = await policyTable.find(deps.db, { name: policy.name });
    return row
      ? await perform(deps, actor, policies.update, { params: { policy_id: row.id }, body })
      : await perform(deps, actor, policies.create, { body });
  };
}

export function removePolicy(name: string): Run {
  return async (deps, actor) => {
    const row = found(await policyTable.find(deps.db, { name }), "policy");
    return await perform(deps, actor, policies.remove, { params: { policy_id: row.id } });
  };
}

export function saveCollector(collector: ConfigCollector): Run {
  const {
    gateway,
    default_policy,
    overrides: _,
    keys: __,
    service_clients: ___,
    ...own
  } = collector;
  return async (deps, actor) => {
    const body = {
      ...own,
      gateway_id: gateway && (await named(deps, "gateway", "gateway", gateway)),
      default_policy_id:
        default_policy && (await named(deps, "default_policy", "policy", default_policy)),
    };
    const row = await collectorTable.find(deps.db, { name: collector.name });
    return row
      ? await perform(deps, actor, collectors.update, { params: { collector_id: row.id }, body })
      : await perform(deps, actor, collectors.create, { body });
  };
}

export function removeCollector(name: string): Run {
  return async (deps, actor) =>
    await perform(deps, actor, collectors.remove, { params: await collectorAt(deps, name) });
}

export function saveOverride(collector: string, override: ConfigOverride): Run {
  const { consumer_id: consumer, policy, policy_version } = override;
  return async (deps, actor) => {
    const params = { ...(await collectorAt(deps, collector)), consumer };
    const policy_id = await named(deps, "policy", "policy", policy);
    return await perform(deps, actor, setOverride, { params, body: { policy_id, policy_version } });
  };
}

export function dropOverride(collector: string, consumer: string): Run {
  return async (deps, actor) => {
    const params = { ...(await collectorAt(deps, collector)), consumer };
    return await perform(deps, actor, removeOverride, { params });
  };
}

async function rulesById(
  deps: Deps,
  policy: ConfigPolicy,
  side: "input_rules" | "output_rules",
): Promise<PolicyInput["input_rules"]> {
  const rules = policy[side].map(async ({ detector, ...rule }, index) => ({
    detector_id: await named(deps, `${side}[${index}].detector`, "detector", detector),
    ...rule,
  }));
  return await Promise.all(rules);
}
