import { expect, test } from "bun:test";
import type { AccessRule } from "../../contract/store-access.ts";
import { decideAccess } from "./decide-access.ts";

type Said = [subject: string, target: string, level: AccessRule["level"]];

/** `user:alice`, `group:eng`, `everyone`; `code:github`, `category:code`, `all`. */
function ruleOf([subject, target, level]: Said, index: number): AccessRule {
  const [subject_type, who = "*"] = subject.split(":") as [AccessRule["subject_type"], string?];
  const [target_type, what = "*"] = target.split(":") as [AccessRule["target_type"], string?];
  const at = "2026-01-01T00:00:00.000Z";
  const stored = { id: `r${index}`, gateway_id: "g", version: 1, created_at: at, updated_at: at };
  return { ...stored, subject_type, subject: who, target_type, target: what, level };
}
const levelOf = (...said: Said[]) =>
  decideAccess(
    said.map(ruleOf),
    { principal_sub: "alice", groups: ["eng", "ops"] },
    { code: "github", category: "code" },
    "request",
  );

test.each<[string, Said[], string, string | null]>([
  ["no rule: the default", [], "request", null],
  ["a rule of another person says nothing", [["user:bo", "all", "none"]], "request", null],
  ["a rule on another server says nothing", [["everyone", "code:jira", "none"]], "request", null],
  ["everyone", [["everyone", "all", "install"]], "install", "r0"],
  [
    "a group beats everyone, whatever the target",
    [
      ["everyone", "code:github", "install"],
      ["group:eng", "all", "none"],
    ],
    "none",
    "r1",
  ],
  [
    "a user beats a group, even downwards",
    [
      ["group:eng", "code:github", "install"],
      ["user:alice", "all", "none"],
    ],
    "none",
    "r1",
  ],
  [
    "a code beats a category, a category beats all",
    [
      ["group:eng", "all", "install"],
      ["group:eng", "category:code", "request"],
      ["group:eng", "code:github", "none"],
    ],
    "none",
    "r2",
  ],
  [
    "between equals the highest level",
    [
      ["group:eng", "code:github", "none"],
      ["group:ops", "code:github", "install"],
    ],
    "install",
    "r1",
  ],
  [
    "between the same level the older rule",
    [
      ["group:eng", "all", "install"],
      ["group:ops", "all", "install"],
    ],
    "install",
    "r0",
  ],
])("%s", (_, said, level, rule) => {
  const answer = levelOf(...said);

  expect([answer.level, answer.decided_by?.id ?? null]).toEqual([level, rule]);
});

test("every rule that matched is told, the weightiest first", () => {
  const answer = levelOf(
    ["everyone", "all", "install"],
    ["group:eng", "all", "request"],
    ["user:bo", "all", "none"],
    ["user:alice", "category:code", "install"],
  );

  expect(answer.matched.map(({ id }) => id)).toEqual(["r3", "r1", "r0"]);
});
