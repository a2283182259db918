/** Every local detector inspects adversarial text in linear time. */
import { expect, test } from "bun:test";

import { encodeWindows } from "../../src/evaluate/encode-windows.ts";
import { learnedModels } from "../../src/evaluate/learned-models.ts";

import type { InspectionContext } from "../../src/policy/detector.ts";
import { detectors } from "../../src/policy/detectors/all.ts";
import { createSegment } from "../../src/policy/segment.ts";
import { expectLinear } from "../kit/expect-linear.ts";

/** Settings with patterns that backtrack in a naive matcher, for detectors that need settings. */
const SETTINGS: Record<string, object> = {
  tool_permission: { allowed_tools: ["*a*a*a*a*a*b"], denied_tools: ["*1*1*1*1*2"] },
  size_limit: { max_characters: 1_000_000_000 },
  prompt_moderation: {
    keywords: ["aaaaaaab", "1 1 1 2"],
    regex: ["(a+)+$", "(a|a)*b", "(.*1){9}x"],
  },
  data_loss_prevention: {
    apply_all: true,
    predefined_entities: [
      { entity: "person_name" },
      { entity: "location" },
      { entity: "organization" },
    ],
    rules: [{ name: "own", type: "regex", pattern: "(a+)+$" }],
  },
  injection_protection: { custom_injections: [{ name: "own", pattern: "(a|a)*b" }] },
};

/** Repeated units: single characters, starts without ends, and near misses. */
const UNITS = [
  "a",
  "1 ",
  "a.b@",
  "../",
  "%25",
  "' or ",
  "<a href=",
  "-----BEGIN ",
  "\u200b",
  "QUJD",
  "Anna ",
  "Anna & ",
];

const local = [...detectors.values()].filter(({ remote }) => !remote);

test.each(local.flatMap(({ kind }) => UNITS.map((unit) => [kind, unit] as const)))(
  "%s inspects %p repeated in linear time",
  async (kind, unit) => {
    const detector = detectors.get(kind) ?? expect.unreachable();
    const inspect = detector.prepare(SETTINGS[kind] ?? {});
    const direction = detector.reads.input.length > 0 ? "input" : "output";
    const [source = "user"] = detector.reads[direction];
    const run = async (text: string) => {
      const schema = { type: "object", properties: { q: { type: "string", pattern: "(a+)+$" } } };
      const context: InspectionContext = {
        direction,
        protocol: "llm",
        calls: [{ name: text, pointer: "/c", arguments: {} }, CALL(text)],
        definitions: [{ name: "tool", pointer: "/d", schema }],
        uninspected: [],
        attachments: [],
        payload_bytes: text.length,
        system_prompt: [text],
        services: NO_SERVICES,
      };
      await inspect([createSegment(text, source, { pointer: "/input" })], context);
    };

    await expectLinear(run, (length) => unit.repeat(length / unit.length));
  },
  30_000,
);

const CALL = (q: string) => ({ name: "tool", pointer: "/c", arguments: { q } });
const NO_SERVICES: InspectionContext["services"] = {
  post: () => expect.unreachable(),
  ask: () => expect.unreachable(),
  addRisk: async () => undefined,
  restore: async () => new Map(),
  ...learnedModels,
  scoreWindows: encodeWindows,
};
