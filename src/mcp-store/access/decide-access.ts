/** Decides the access level of a principal for a Store server from the access rules (spec 4.1.1). */
import { ACCESS_LEVELS, type AccessLevel, type AccessRule } from "../../contract/store/access.ts";

export interface AccessSubject {
  principal_sub: string;
  groups: readonly string[];
}

export interface AccessDecision {
  level: AccessLevel;
  /** null: no rule matched, and the default level applies. */
  decided_by: AccessRule | null;
  /** Every rule that matched, the most specific first. */
  matched: AccessRule[];
}

/** The most specific subject wins, then the most specific target; between equals the highest level. */
export function decideAccess(
  rules: readonly AccessRule[],
  { principal_sub, groups }: AccessSubject,
  server: { code: string; category: string },
  default_level: AccessLevel,
): AccessDecision {
  const matches = ({ subject_type, subject, target_type, target }: AccessRule): boolean =>
    (subject_type === "everyone" ||
      (subject_type === "user" ? subject === principal_sub : groups.includes(subject))) &&
    (target_type === "all" || target === server[target_type]);
  const matched = rules.filter(matches).sort(bySpecificity);
  const [first = null] = matched;
  return { level: first?.level ?? default_level, decided_by: first, matched };
}

const SUBJECTS: readonly AccessRule["subject_type"][] = ["user", "group", "everyone"];
const TARGETS: readonly AccessRule["target_type"][] = ["code", "category", "all"];

const bySpecificity = (one: AccessRule, other: AccessRule): number =>
  SUBJECTS.indexOf(one.subject_type) - SUBJECTS.indexOf(other.subject_type) ||
  TARGETS.indexOf(one.target_type) - TARGETS.indexOf(other.target_type) ||
  ACCESS_LEVELS.indexOf(other.level) - ACCESS_LEVELS.indexOf(one.level) ||
  // Between rules of two groups with the same level, the older one is reported.
  (one.id < other.id ? -1 : 1);
