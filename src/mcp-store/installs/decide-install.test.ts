import { expect, test } from "bun:test";
import { decideInstall, type InstallFacts } from "./decide-install.ts";

const A = { id: "A", name: "a", enabled: true };
const B = { id: "B", name: "b", enabled: true };
const request = (instance_id: string | null, reason = "old") => ({ id: "q", instance_id, reason });
const decide = (
  facts: Partial<InstallFacts>,
  wish: { instance_id?: string; reason?: string } = {},
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
    { instance_id: wish.instance_id, reason: wish.reason ?? "" },
  );
  const { outcome, instance, choices, needs_setup } = decision;
  return [outcome, instance?.id ?? "", choices.map(({ id }) => id).join(), needs_setup];
};

test("level none is denied whatever else is true", () => {
  expect(decide({ level: "none", instances: [A], installed: ["A"] })[0]).toBe("denied");
});

test("without an instance one is made, unless an administrator must set it up", () => {
  expect(decide({})).toEqual(["install", "", "", false]);
  expect(decide({ needs_admin_setup: true })).toEqual(["blocked", "", "", true]);
});

test("a disabled only instance is not replaced behind the administrator's back", () => {
  expect(decide({ instances: [{ ...A, enabled: false }] })).toEqual(["blocked", "", "", true]);
});

test("the named, the installed, then the only usable instance is meant", () => {
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

test("several instances that could be meant are offered", () => {
  expect(decide({ instances: [A, B] })).toEqual(["choose_instance", "", "A,B", false]);
  expect(decide({ instances: [A, B], installed: ["A", "B"] })[0]).toBe("choose_instance");
});

test("outside the access a reason is asked for, and with one a request is filed", () => {
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

test("an open request answers for its instance, one that leaves it open for each", () => {
  const level = "request";

  expect(decide({ level, instances: [A], open: [request("A")] })[0]).toBe("pending");
  expect(decide({ level, instances: [A], open: [request(null)] })[0]).toBe("pending");
  expect(decide({ level, instances: [A, B], open: [request("B")] })[0]).toBe("pending");
  expect(decide({ level, instances: [A, B], open: [request("B")] }, { instance_id: "A" })[0]).toBe(
    "ask_reason",
  );
});

test("a reason counts as new only when it says something else", () => {
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

test("an install puts open requests aside", () => {
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
