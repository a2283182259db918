import { expect, test } from "bun:test";
import type { AccessRule } from "../../contract/store/access.ts";
import { decideAccess } from "./decide-access.ts";

type RuleSpec = [subject: string, target: string, level: AccessRule["level"]];

/** `user:alice`, `group:eng`, `everyone`; `code:github`, `category:code`, `all`. */
function ruleOf([subject, target, level]: RuleSpec, index: number): AccessRule {
  const [subject_type, who = "*"] = subject.split(":") as [AccessRule["subject_type"], string?];
  const [target_type, what = "*"] = target.split(":") as [AccessRule["target_type"], string?];
  const at = "2026-01-01T00:00:00.000Z";
  const stored = { id: `r${index}`, gateway_id: "g", version: 1, created_at: at, updated_at: at };
  return { ...stored, subject_type, subject: who, target_type, target: what, level };
}
const levelOf = (...specs: RuleSpec[]) =>
  decideAccess(
    specs.map(ruleOf),
    { principal_sub: "alice", groups: ["eng", "ops"] },
    { code: "github", category: "code" },
    "request",
  );

test.each<[string, RuleSpec[], string, string | null]>([
  ["the default without a rule", [], "request", null],
  ["a rule for another user does not match", [["user:bo", "all", "none"]], "request", null],
  [
    "a rule for another server does not match",
    [["everyone", "code:jira", "none"]],
    "request",
    null,
  ],
  ["everyone", [["everyone", "all", "install"]], "install", "r0"],
  [
    "a group takes precedence over everyone, for any target",
    [
      ["everyone", "code:github", "install"],
      ["group:eng", "all", "none"],
    ],
    "none",
    "r1",
  ],
  [
    "a user takes precedence over a group, also with a lower level",
    [
      ["group:eng", "code:github", "install"],
      ["user:alice", "all", "none"],
    ],
    "none",
    "r1",
  ],
  [
    "a code takes precedence over a category, and a category over all",
    [
      ["group:eng", "all", "install"],
      ["group:eng", "category:code", "request"],
      ["group:eng", "code:github", "none"],
    ],
    "none",
    "r2",
  ],
  [
    "between equal rules the highest level wins",
    [
      ["group:eng", "code:github", "none"],
      ["group:ops", "code:github", "install"],
    ],
    "install",
    "r1",
  ],
  [
    "between rules of the same level the older one is reported",
    [
      ["group:eng", "all", "install"],
      ["group:ops", "all", "install"],
    ],
    "install",
    "r0",
  ],
])("%s", (_, specs, level, rule) => {
  const decision = levelOf(...specs);

  expect([decision.level, decision.decided_by?.id ?? null]).toEqual([level, rule]);
});

test("all matching rules are returned, the most specific first", () => {
  const decision = levelOf(
    ["everyone", "all", "install"],
    ["group:eng", "all", "request"],
    ["user:bo", "all", "none"],
    ["user:alice", "category:code", "install"],
  );

  expect(decision.matched.map(({ id }) => id)).toEqual(["r3", "r1", "r0"]);
});
