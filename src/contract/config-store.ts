/** Access rules in a configuration file: told apart by a name that is made from them. */
import type { z } from "zod";
import { AccessRuleInput } from "./store-access.ts";

export const ConfigAccessRule = AccessRuleInput.transform(namedRule);
export type ConfigAccessRule = z.infer<typeof ConfigAccessRule>;

/** A rule is known by what it speaks of: `group:eng on category:development`. */
export function namedRule(rule: AccessRuleInput): AccessRuleInput & { name: string } {
  const { subject_type, subject, target_type, target } = rule;
  return { ...rule, name: `${subject_type}:${subject} on ${target_type}:${target}` };
}
