import { expect, test } from "bun:test";
import type { PolicyDocument, Rule } from "../contract/policies.ts";
import { type CompiledPolicy, compilePolicy } from "./compile-policy.ts";
import { type PolicyRunInput, runPolicy } from "./run-policy.ts";
import { createSegment } from "./segment.ts";

const rule = (detector_id: string): Rule => ({
  detector_id,
  action: "transform",
  when: null,
  mode: null,
  enabled: true,
});
const entity = (name: string) => ({ predefined_entities: [{ entity: name, enabled: true }] });
const document: PolicyDocument = {
  name: "p",
  mode: "enforce",
  gates: [
    {
      name: "watch",
      when: null,
      action: "transform",
      mode: "observe",
      enabled: true,
      mask: entity("email"),
    },
  ],
  input_rules: [rule("cards")],
  output_rules: [],
  detectors: {
    cards: { name: "cards", kind: "data_loss_prevention", settings: entity("credit_card") },
  },
};
const program = compilePolicy(document, { id: "p", version: 1 }, (secret) => secret);

const nobody = () => Promise.reject(new Error("Nobody is outside."));
const judged = (text: string): PolicyRunInput => ({
  direction: "input",
  segments: [createSegment(text, "user", { pointer: "/input" })],
  facts: () => undefined,
  surroundings: {
    direction: "input",
    protocol: "llm",
    calls: [],
    definitions: [],
    attachments: [],
    uninspected: [],
    payload_bytes: text.length,
    services: { post: nobody, ask: nobody, restore: nobody },
  },
  disabled: new Set(),
  approved: false,
  fail_mode: "open",
  pseudonym: (label) => label,
});

test("what only observes changes nothing, not even beside a rule that rewrites", async () => {
  const outcome = await runPolicy(program, judged("4111 1111 1111 1111 of ana@example.com"));

  expect(outcome.findings).toHaveLength(2);
  expect(outcome.changes.map(({ text }) => text)).toEqual(["[MASKED_CC] of ana@example.com"]);
});

test("a match in the name of a member, which cannot be masked, is reported", async () => {
  const text = "4111 1111 1111 1111";
  const named = createSegment(text, "user", { pointer: "/input", isName: true });

  const { status, findings, changes } = await runPolicy(program, {
    ...judged(text),
    segments: [named],
  });

  expect([status, changes]).toEqual(["report", []]);
  expect(findings).toMatchObject([
    { outcome: { action: "report" }, evidence: { count: 1, would_be: "transform" } },
  ]);
});

test("a gate that masks reports a match in a name, and masks the matches beside it", async () => {
  const named = createSegment("ana@example.com", "user", { pointer: "/a", isName: true });
  const text = createSegment("bob@example.com", "user", { pointer: "/b" });
  const gates = program.gates.map((gate) => ({ ...gate, observe: false }));
  const run = (segments: (typeof text)[]) =>
    runPolicy({ ...program, gates }, { ...judged("x"), segments });

  const [alone, beside] = [await run([named]), await run([named, text])];

  expect([alone.status, alone.changes]).toEqual(["report", []]);
  expect(beside.changes.map((change) => change.text)).toEqual(["[MASKED_EMAIL]"]);
  expect(beside.findings.map(({ outcome }) => outcome.action)).toEqual(["report", "transform"]);
});

test("a number is looked at by a detector that asks for numbers, and by no other", async () => {
  const text = "4111111111111111";
  const number = createSegment(text, "user", { pointer: "/input", isNumber: true });
  const input = program.rules.input.map((one) => ({ ...one, numbers: false }));
  const found = async (by: CompiledPolicy) =>
    (await runPolicy(by, { ...judged(text), segments: [number] })).findings.length;

  expect(await found(program)).toBe(1);
  expect(await found({ ...program, rules: { ...program.rules, input } })).toBe(0);
});

test("fail-open tells which detector did not look, and nothing of what it threw", async () => {
  const inspect = () => {
    throw new Error("text of a person");
  };
  const input = program.rules.input.map((one) => ({ ...one, inspect }));
  const broken: CompiledPolicy = { ...program, gates: [], rules: { ...program.rules, input } };

  const { status, detectors } = await runPolicy(broken, judged("hello"));

  expect(status).toBe("allow");
  expect(detectors.failed).toEqual([
    {
      detector_id: "cards",
      detector_name: "cards",
      error: "data_loss_prevention could not inspect this.",
    },
  ]);
});
