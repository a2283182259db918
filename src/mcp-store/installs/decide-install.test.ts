import { expect, test } from "bun:test";
import { decideInstall, type InstallFacts } from "./decide-install.ts";

const A = { id: "A", name: "a", enabled: true };
const B = { id: "B", name: "b", enabled: true };
const request = (instance_id: string | null, reason = "old") => ({ id: "q", instance_id, reason });
const decide = (
  facts: Partial<InstallFacts>,
  input: { instance_id?: string; reason?: string } = {},
) => {
  const decision = decideInstall(
    {
      level: "install",
      needs_admin_setup: false,
      instances: [],
      installed: [],
      granted: [],
      open: [],
      ...facts,
    },
    { instance_id: input.instance_id, reason: input.reason ?? "" },
  );
  const { outcome, instance, choices, needs_setup } = decision;
  return [outcome, instance?.id ?? "", choices.map(({ id }) => id).join(), needs_setup];
};

test("level none is always denied", () => {
  expect(decide({ level: "none", instances: [A], installed: ["A"] })[0]).toBe("denied");
});

test("without an instance one is created, unless an administrator must set it up", () => {
  expect(decide({})).toEqual(["install", "", "", false]);
  expect(decide({ needs_admin_setup: true })).toEqual(["blocked", "", "", true]);
});

test("no instance is created beside a disabled one", () => {
  expect(decide({ instances: [{ ...A, enabled: false }] })).toEqual(["blocked", "", "", true]);
});

test("the named instance is used, else the installed one, else the only usable one", () => {
  expect(decide({ instances: [A, B] }, { instance_id: "B" })).toEqual(["install", "B", "", false]);
  expect(decide({ instances: [A, B], installed: ["A"] })).toEqual([
    "already_installed",
    "A",
    "",
    false,
  ]);
  expect(decide({ instances: [A, { ...B, enabled: false }] })).toEqual(["install", "A", "", false]);
  expect(decide({ level: "request", instances: [A, B], granted: ["B"] })).toEqual([
    "install",
    "B",
    "",
    false,
  ]);
});

test("several usable instances are returned as choices", () => {
  expect(decide({ instances: [A, B] })).toEqual(["choose_instance", "", "A,B", false]);
  expect(decide({ instances: [A, B], installed: ["A", "B"] })[0]).toBe("choose_instance");
});

test("level request requires a reason, and files a request with one", () => {
  const facts = { level: "request", instances: [A] } as const;

  expect(decide(facts)).toEqual(["ask_reason", "A", "", false]);
  expect(decide(facts, { reason: "triage" })).toEqual(["file_request", "A", "", false]);
  expect(decide({ level: "request", needs_admin_setup: true })).toEqual([
    "ask_reason",
    "",
    "",
    true,
  ]);
});

test("an open request covers its instance, and one without an instance covers all", () => {
  const level = "request";

  expect(decide({ level, instances: [A], open: [request("A")] })[0]).toBe("pending");
  expect(decide({ level, instances: [A], open: [request(null)] })[0]).toBe("pending");
  expect(decide({ level, instances: [A, B], open: [request("B")] })[0]).toBe("pending");
  expect(decide({ level, instances: [A, B], open: [request("B")] }, { instance_id: "A" })[0]).toBe(
    "ask_reason",
  );
});

test("only a different reason changes an open request", () => {
  const decision = (reason: string) =>
    decideInstall(
      {
        level: "request",
        needs_admin_setup: false,
        instances: [A],
        installed: [],
        granted: [],
        open: [request("A", "old")],
      },
      { instance_id: undefined, reason },
    );

  expect(decision("")).toMatchObject({ outcome: "pending", changes: {} });
  expect(decision("old")).toMatchObject({ changes: {} });
  expect(decision("new")).toMatchObject({ changes: { reason: "new" } });
});

test("an install supersedes open requests", () => {
  const decision = decideInstall(
    {
      level: "install",
      needs_admin_setup: false,
      instances: [A],
      installed: [],
      granted: [],
      open: [request("A")],
    },
    { instance_id: undefined, reason: "" },
  );

  expect(decision).toMatchObject({ outcome: "install", supersedes: [{ id: "q" }] });
});
