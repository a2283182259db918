/** Describes the difference between two versions of a policy in sentences, with names instead of ids. */
import type { Gate, PolicyDocument, Rule } from "../../contract/guard/policies.ts";
import { capitalize } from "../ui/text.ts";
import { describeConditionChange } from "./describe-condition-change.ts";
import { describeSettings } from "./describe-settings.ts";
import {
  describeGate,
  describeOrigins,
  describeRule,
  GATE_VERBS,
  RULE_VERBS,
} from "./policy-sentences.ts";

export function describeChanges(before: PolicyDocument, after: PolicyDocument): string[] {
  return [
    ...(before.name === after.name ? [] : [`Renamed from ${before.name} to ${after.name}.`]),
    ...(before.mode === after.mode
      ? []
      : [`The mode is now ${after.mode} instead of ${before.mode}.`]),
    ...describeDetectors(before.detectors, after.detectors),
    ...describeList(before.gates, after.gates, {
      noun: "gate",
      identify: ({ name }) => name,
      nameOf: ({ name }) => name,
      describe: describeGate,
      describeChange: describeGateChange,
    }),
    ...(["input", "output"] as const).flatMap((direction) => {
      const nameOf = ({ detector_id }: Rule) =>
        (after.detectors[detector_id] ?? before.detectors[detector_id])?.name ?? detector_id;
      return describeList(before[`${direction}_rules`], after[`${direction}_rules`], {
        noun: `${direction} rule`,
        identify: ({ detector_id }) => detector_id,
        nameOf,
        describe: (rule) => describeRule(rule, nameOf(rule)),
        describeChange: describeRuleChange,
      });
    }),
  ];
}

type Detectors = PolicyDocument["detectors"];

function describeDetectors(before: Detectors, after: Detectors): string[] {
  const names = (some: Detectors, others: Detectors) =>
    Object.keys(some).flatMap((id) => (id in others ? [] : [some[id]?.name ?? id]));
  const changed = Object.entries(after).flatMap(([id, detector]) => {
    const was = before[id];
    if (!was) return [];
    const { name } = detector;
    const renamed = was.name === name ? [] : [`Detector ${was.name} is now named ${name}.`];
    const settings = describeSettings(was.settings, detector.settings);
    return [...renamed, ...settings.map((text) => `Detector ${name}: ${text}.`)];
  });
  return [
    ...names(after, before).map((name) => `Added detector ${name}.`),
    ...names(before, after).map((name) => `Removed detector ${name}.`),
    ...changed,
  ];
}

interface ListTexts<Item> {
  noun: string;
  /** Returns what an entry of one version has in common with the same entry of another. */
  identify: (item: Item) => string;
  nameOf: (item: Item) => string;
  describe: (item: Item) => string;
  describeChange: (before: Item, after: Item) => string[];
}

function describeList<Item>(
  before: readonly Item[],
  after: readonly Item[],
  { noun, identify, nameOf, describe, describeChange }: ListTexts<Item>,
): string[] {
  const left = [...before];
  const texts: string[] = [];
  const kept: Item[] = [];
  for (const [index, item] of after.entries()) {
    const title = `${noun} ${index + 1}`;
    const at = left.findIndex((old) => identify(old) === identify(item));
    if (at < 0) {
      texts.push(`Added ${title}: ${describe(item)}.`);
      continue;
    }
    const [old] = left.splice(at, 1);
    if (!old) continue;
    kept.push(old);
    const subject = `${capitalize(title)} (${nameOf(item)})`;
    texts.push(...describeChange(old, item).map((text) => `${subject} ${text}.`));
  }
  texts.push(...left.map((old) => `Removed ${noun} ${before.indexOf(old) + 1}: ${describe(old)}.`));
  const isSorted = kept.every(
    (old, index) => index === 0 || before.indexOf(kept[index - 1] as Item) < before.indexOf(old),
  );
  if (!isSorted) texts.push(`The ${noun}s are now in this order: ${after.map(nameOf).join(", ")}.`);
  return texts;
}

function describeRuleChange(before: Rule, after: Rule): string[] {
  const action =
    before.action === after.action
      ? []
      : [`now ${RULE_VERBS[after.action]} instead of ${RULE_VERBS[before.action]}`];
  const [was, is] = [describeOrigins(before.origins), describeOrigins(after.origins)];
  const origins = was === is ? [] : [`now reads ${is} instead of ${was}`];
  return [...action, ...origins, ...describeSharedChange(before, after)];
}

function describeGateChange(before: Gate, after: Gate): string[] {
  const action =
    before.action === after.action
      ? []
      : [`now ${GATE_VERBS[after.action]} instead of ${GATE_VERBS[before.action]}`];
  const masks = describeSettings(before.mask ?? {}, after.mask ?? {}).map(
    (text) => `has another mask: ${text}`,
  );
  return [...action, ...describeSharedChange(before, after), ...masks];
}

type SharedMembers = Pick<Rule, "when" | "mode" | "enabled">;

function describeSharedChange(before: SharedMembers, after: SharedMembers): string[] {
  const modeOf = ({ mode }: SharedMembers) => mode ?? "the mode of the policy";
  return [
    ...describeConditionChange(before.when, after.when),
    ...(before.mode === after.mode
      ? []
      : [`now uses ${modeOf(after)} instead of ${modeOf(before)}`]),
    ...(before.enabled === after.enabled
      ? []
      : [`is now ${after.enabled ? "enabled" : "disabled"}`]),
  ];
}
