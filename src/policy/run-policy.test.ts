import { heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import type { PolicyDocument, Rule } from "../contract/guard/policies.ts";
import { type CompiledPolicy, compilePolicy } from "./compile-policy.ts";
import type { PolicyRunInput } from "./policy-run.ts";
import { runPolicy } from "./run-policy.ts";
import { createSegment } from "./segment.ts";
import { decodeViews, foldText } from "./views/view.ts";

const rule = (detector_id: string): Rule => ({
  detector_id,
  action: "transform",
  origins: null,
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
const policy = compilePolicy(document, { id: "p", version: 1 }, (secret) => secret);

const unavailable = () => Promise.reject(new Error("No service is available."));
const inputFor = (text: string): PolicyRunInput => ({
  direction: "input",
  segments: [createSegment(text, "user", { pointer: "/input" })],
  parts: new Map(),
  facts: () => undefined,
  context: {
    direction: "input",
    protocol: "llm",
    calls: [],
    definitions: [],
    attachments: [],
    uninspected: [],
    payload_bytes: text.length,
    system_prompt: [],
    services: {
      post: unavailable,
      ask: unavailable,
      restore: unavailable,
      loadTextEmbedder: unavailable,
      loadTopicModel: unavailable,
      loadWindowScorer: unavailable,
      loadToxicityScorer: unavailable,
      scoreWindows: unavailable,
      addRisk: unavailable,
      loadNameFinder: unavailable,
    },
  },
  disabled: new Set(),
  approval: "none",
  fail_mode: "open",
  createPseudonym: (label) => label,
  waitForTurn: () => new Promise(setImmediate),
  isPartOfLargeBody: false,
  logFailure: () => {},
  isExempt: undefined,
});

test("a gate in observe mode changes nothing, even if a rule transforms", async () => {
  const outcome = await runPolicy(policy, inputFor("4111 1111 1111 1111 of ana@example.com"));

  expect(outcome.findings).toHaveLength(2);
  expect(outcome.changes.map(({ text }) => text)).toEqual(["[MASKED_CC] of ana@example.com"]);
});

test("a match in a member name, which cannot be masked, is reported", async () => {
  const text = "4111 1111 1111 1111";
  const named = createSegment(text, "user", { pointer: "/input", isName: true });

  const { status, findings, changes } = await runPolicy(policy, {
    ...inputFor(text),
    segments: [named],
  });

  expect([status, changes]).toEqual(["report", []]);
  expect(findings).toMatchObject([
    { outcome: { action: "report" }, evidence: { count: 1, would_be: "transform" } },
  ]);
});

test("a transform gate reports a match in a name and masks the other matches", async () => {
  const named = createSegment("ana@example.com", "user", { pointer: "/a", isName: true });
  const text = createSegment("bob@example.com", "user", { pointer: "/b" });
  const gates = policy.gates.map((gate) => ({ ...gate, observe: false }));
  const run = (segments: (typeof text)[]) =>
    runPolicy({ ...policy, gates }, { ...inputFor("x"), segments });

  const [alone, beside] = [await run([named]), await run([named, text])];

  expect([alone.status, alone.changes]).toEqual(["report", []]);
  expect(beside.changes.map((change) => change.text)).toEqual(["[MASKED_EMAIL]"]);
  expect(beside.findings.map(({ outcome }) => outcome.action)).toEqual(["report", "transform"]);
});

test("other evaluations run between the rules for a text above 8 KiB", async () => {
  let turns = 0;
  const waitForTurn = async () => {
    turns += 1;
  };
  const run = (length: number) =>
    runPolicy(policy, { ...inputFor("word ".repeat(length / 5)), waitForTurn });

  await run(8_000);
  const small = turns;
  await run(9_000);

  expect([small, turns]).toEqual([0, 1]);
});

test("of a payload of several MiB, only the views of its texts stay in memory after a rule", async () => {
  const keptBy = async (bytes: number) => {
    const input = inputFor("word ".repeat(bytes / 5));
    await runPolicy(policy, input);
    return [...(input.segments[0]?.memo?.keys() ?? [])];
  };
  const views: unknown[] = [decodeViews, foldText];

  const [small, large] = [await keptBy(50_000), await keptBy(5_000_000)];

  expect(small).toEqual(expect.arrayContaining(views));
  expect(large).toEqual(expect.arrayContaining(views));
  expect(large.length).toBeLessThan(small.length);
});

test("a number is inspected only by detectors that read numbers", async () => {
  const text = "4111111111111111";
  const number = createSegment(text, "user", { pointer: "/input", isNumber: true });
  const input = policy.rules.input.map((one) => ({ ...one, numbers: false }));
  const countFindings = async (by: CompiledPolicy) =>
    (await runPolicy(by, { ...inputFor(text), segments: [number] })).findings.length;

  expect(await countFindings(policy)).toBe(1);
  expect(await countFindings({ ...policy, rules: { ...policy.rules, input } })).toBe(0);
});

test("fail-open lists the failed detector without the text of its error", async () => {
  const inspect = () => {
    throw new Error("text of a person");
  };
  const input = policy.rules.input.map((one) => ({ ...one, inspect }));
  const broken: CompiledPolicy = { ...policy, gates: [], rules: { ...policy.rules, input } };

  const { status, detectors } = await runPolicy(broken, inputFor("hello"));

  expect(status).toBe("allow");
  expect(detectors.failed).toEqual([
    {
      detector_id: "cards",
      detector_name: "cards",
      error: "The data_loss_prevention detector failed unexpectedly.",
    },
  ]);
});

test("nothing that is computed from one of many texts stays in memory", async () => {
  const segments = Array.from({ length: 2000 }, (_, n) =>
    createSegment("a", "user", { pointer: `/input/${n}` }),
  );
  const countMaps = () => {
    Bun.gc(true);
    return heapStats().objectTypeCounts.Map ?? 0;
  };
  const before = countMaps();

  await runPolicy(policy, { ...inputFor(""), segments });

  expect(countMaps() - before).toBeLessThan(segments.length / 10);
});
