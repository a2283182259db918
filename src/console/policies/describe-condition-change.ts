/** Describes the difference between two conditions: of nested ones, only the parts that changed. */
import type { Condition } from "../../contract/guard/conditions.ts";
import {
  type ConditionGroup,
  type ConditionItem,
  isGroup,
  joinItems,
  toConditionDraft,
} from "./condition-draft.ts";
import { describeCondition, describeExpression } from "./policy-sentences.ts";

/** More changes than this are easier to read as two whole conditions. */
const MAX_CHANGES = 3;

/** Returns predicates of a gate or rule: "now applies when the model is a instead of always". */
export function describeConditionChange(
  before: Condition | null,
  after: Condition | null,
): string[] {
  const [was, is] = [describeCondition(before), describeCondition(after)];
  if (was === is) return [];
  const [old, now] = [toConditionDraft(before), toConditionDraft(after)];
  const isNested = "items" in old && "items" in now && now.items.some(isGroup);
  const changes = isNested && hasSameParts(old, now) ? listChanges(old, now, "") : [];
  return changes.length > 0 && changes.length <= MAX_CHANGES
    ? changes
    : [`now applies ${is} instead of ${was}`];
}

const hasSameParts = (old: ConditionGroup, now: ConditionGroup): boolean =>
  old.kind === now.kind && old.items.length === now.items.length;

/** Positions are those of the form: "2.1". */
function listChanges(old: ConditionGroup, now: ConditionGroup, before: string): string[] {
  return now.items.flatMap((item, index) => {
    const was = old.items[index];
    if (!was) return [];
    const number = `${before}${index + 1}`;
    if (isGroup(was) && isGroup(item) && hasSameParts(was, item)) {
      return listChanges(was, item, `${number}.`);
    }
    const [first, second] = [describeItem(was), describeItem(item)];
    const noun = isGroup(item) ? "group" : "comparison";
    return first === second ? [] : [`has another ${noun} ${number}: ${second} instead of ${first}`];
  });
}

const describeItem = (item: ConditionItem): string =>
  describeExpression(joinItems({ kind: "all", items: [item] }));
