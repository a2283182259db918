import { expect, test } from "bun:test";
import type { Condition } from "../../contract/guard/conditions.ts";
import type { PolicyDocument } from "../../contract/guard/policies.ts";
import { describeChanges } from "./describe-changes.ts";
import { describeConditionChange } from "./describe-condition-change.ts";
import { describeSettings } from "./describe-settings.ts";
import { describeCondition } from "./policy-sentences.ts";

const RULE = {
  action: "transform",
  origins: null,
  when: null,
  mode: null,
  enabled: true,
} as const;

const PAY = { field: "tool.name", op: "contains", value: "pay" } as const;
const MODEL = { field: "model.name", op: "eq", value: "gpt-4o" } as const;

const words = (keywords: string[]) => ({
  name: "Words",
  kind: "prompt_moderation",
  settings: { keywords, leetspeak: true },
});
const BEFORE: PolicyDocument = {
  name: "Shop",
  mode: "enforce",
  gates: [{ name: "Pay", when: PAY, action: "ask", mask: null, mode: null, enabled: true }],
  input_rules: [
    { ...RULE, detector_id: "w" },
    { ...RULE, detector_id: "c" },
  ],
  output_rules: [],
  detectors: {
    w: words(["zebra"]),
    c: { name: "Cards", kind: "data_loss_prevention", settings: {} },
  },
};

test.each<[string, Partial<PolicyDocument>, string[]]>([
  ["nothing", {}, []],
  [
    "the name and mode",
    { name: "Store", mode: "observe" },
    ["Renamed from Shop to Store.", "The mode is now observe instead of enforce."],
  ],
  [
    "the action and condition of a rule",
    {
      input_rules: [
        { ...RULE, detector_id: "w" },
        { ...RULE, detector_id: "c", action: "block", when: MODEL, enabled: false },
      ],
    },
    [
      "Input rule 2 (Cards) now blocks instead of masks.",
      "Input rule 2 (Cards) now applies when the model is gpt-4o instead of always.",
      "Input rule 2 (Cards) is now disabled.",
    ],
  ],
  [
    "the order of rules",
    { input_rules: BEFORE.input_rules.toReversed() },
    ["The input rules are now in this order: Cards, Words."],
  ],
  [
    "a removed rule and a removed detector",
    { input_rules: BEFORE.input_rules.slice(1), detectors: { c: BEFORE.detectors.c ?? words([]) } },
    ["Removed detector Words.", "Removed input rule 1: masks what Words finds."],
  ],
  [
    "an added rule with a new detector",
    {
      output_rules: [{ ...RULE, detector_id: "n", action: "report", when: MODEL }],
      detectors: { ...BEFORE.detectors, n: { name: "Links", kind: "url_analyzer", settings: {} } },
    },
    [
      "Added detector Links.",
      "Added output rule 1: reports what Links finds when the model is gpt-4o.",
    ],
  ],
  [
    "the settings of a detector",
    {
      detectors: {
        ...BEFORE.detectors,
        w: { ...words(["falcon"]), settings: { keywords: ["falcon"], leetspeak: false } },
      },
    },
    [
      "Detector Words: keywords: added falcon; removed zebra.",
      "Detector Words: leetspeak is now off instead of on.",
    ],
  ],
  [
    "a gate",
    {
      gates: [
        {
          name: "Pay",
          when: { not: PAY },
          action: "block",
          mask: null,
          mode: "observe",
          enabled: true,
        },
      ],
    },
    [
      "Gate 1 (Pay) now blocks instead of asks for approval.",
      "Gate 1 (Pay) now applies unless the tool name contains pay instead of when the tool name contains pay.",
      "Gate 1 (Pay) now uses observe instead of the mode of the policy.",
    ],
  ],
])("changes are described in words: %s", (_, changes, texts) => {
  expect(describeChanges(BEFORE, { ...BEFORE, ...changes })).toEqual(texts);
});

test("nested conditions are described with parentheses", () => {
  const empty = { field: "consumer.tag", op: "eq", value: "" } as const;
  const listed: Condition = { field: "tool.arguments.to", op: "in", value: ["a b", "c"] };

  expect(describeCondition({ all: [MODEL, { any: [PAY, empty] }, { not: listed }] })).toBe(
    "when the model is gpt-4o and (the tool name contains pay or the consumer tag is empty) and not (the tool argument to is one of “a b” or c)",
  );
  expect(describeCondition(null)).toBe("always");
});

test("of a nested condition, only the changed parts are described, with their positions", () => {
  const nest = (inner: Condition, last: Condition): Condition => ({
    any: [PAY, { all: [MODEL, { not: { any: [inner, MODEL] } }] }, last],
  });
  const change = (before: Condition, after: Condition) => describeConditionChange(before, after);
  const shell = { ...PAY, value: "shell" };

  expect(change(nest(PAY, PAY), nest(shell, PAY))).toEqual([
    "has another comparison 2.2.1: the tool name contains shell instead of the tool name contains pay",
  ]);
  expect(change(nest(PAY, PAY), nest(PAY, { all: [MODEL, shell] }))).toEqual([
    "has another group 3: the model is gpt-4o and the tool name contains shell instead of the tool name contains pay",
  ]);
  expect(change(nest(PAY, PAY), { any: [PAY, { not: MODEL }] })[0]).toMatch(
    /^now applies when the tool name contains pay or not \(the model is gpt-4o\) instead of when /,
  );
  expect(change(nest(PAY, PAY), nest(PAY, PAY))).toEqual([]);
});

test("changed members of a setting are described in words", () => {
  expect(
    describeSettings(
      { headers: { a: "1", b: "2" }, limits: {} },
      { headers: { a: "3" }, limits: { per_user: { limit: 5, burst: true } } },
    ),
  ).toEqual([
    "headers: a is now 3 instead of 1",
    "headers: b is now not set instead of 2",
    "limits: per user is now limit 5 and burst on instead of not set",
  ]);
});
