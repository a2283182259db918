import { expect, test } from "bun:test";
import { expectLinear } from "../../../test/kit/expect-linear.ts";
import type { InspectionContext, Match } from "../detector.ts";
import { createSegment } from "../segment.ts";
import { restoreMasks } from "./restore-masks.ts";

const KNOWN = new Map([
  ["<EMAIL_abcdefgh>", "ada@example.com"],
  ["<CREDIT_CARD_a2b3c4d5>", "4111 1111 1111 1111"],
  ["<IP6_ADDRESS_abcdefgh>", "2001:db8::7"],
  ["<7_CÓDIGO_abcdefgh>", "x-7"],
  ["<项目_abcdefgh>", "蓝鸟"],
]);

async function find(...texts: string[]) {
  const requested: string[][] = [];
  const services = {
    restore: async (names: readonly string[]) => {
      requested.push([...names]);
      return KNOWN;
    },
  };
  const matches = (await restoreMasks.prepare({})(
    texts.map((text) => createSegment(text, "assistant", { pointer: "/x" })),
    { services } as unknown as InspectionContext,
  )) as Match[];
  const restored = matches.map(({ at, mask }) => [
    at?.segment.text.slice(at.start, at.end),
    mask && "text" in mask && mask.text,
  ]);
  return { requested, matches, restored };
}

test("every occurrence of a pseudonym is restored, with one request", async () => {
  const { requested, restored } = await find(
    "Write to <EMAIL_abcdefgh>, or <EMAIL_abcdefgh>.",
    "Card <CREDIT_CARD_a2b3c4d5>",
  );

  expect(requested).toEqual([["<EMAIL_abcdefgh>", "<CREDIT_CARD_a2b3c4d5>"]]);
  expect(restored).toEqual([
    ["<EMAIL_abcdefgh>", "ada@example.com"],
    ["<EMAIL_abcdefgh>", "ada@example.com"],
    ["<CREDIT_CARD_a2b3c4d5>", "4111 1111 1111 1111"],
  ]);
});

test.each(["<IP6_ADDRESS_abcdefgh>", "<7_CÓDIGO_abcdefgh>", "<项目_abcdefgh>"])(
  "%s is restored: labels may contain digits and letters of any script",
  async (name) => {
    expect((await find(`see ${name}.`)).restored).toEqual([[name, KNOWN.get(name) ?? ""]]);
  },
);

test("an unknown pseudonym is not changed", async () => {
  expect((await find("<PHONE_zzzzzzzz>")).matches).toEqual([]);
});

test.each([
  "plain",
  "<b>",
  "<EMAIL_abcdefg>",
  "<EMAIL_abcdefgh1>",
  "<email_abcdefgh>",
  "<_abcdefgh>",
  "<EMAIL_ABCDEFGH>",
])("%s is not a pseudonym and is not requested", async (text) => {
  expect((await find(text)).requested).toEqual([]);
});

test("the label of a match does not contain the pseudonym", async () => {
  const { matches } = await find("<EMAIL_abcdefgh>");

  expect(matches).toMatchObject([{ label: "pseudonym", type: "pseudonym", confidence: 1 }]);
  expect(restoreMasks.reads.input).toEqual(["tool_arguments"]);
});

export const ADVERSARIAL = ["<", "<A", "<A_", "<EMAIL_", "<EMAIL_abcdefg", "A_".repeat(40)];

test.each(ADVERSARIAL)("%j repeated is inspected in linear time", async (piece) => {
  const inspect = restoreMasks.prepare({});
  const context = {
    services: { restore: async () => new Map() },
  } as unknown as InspectionContext;
  const run = (text: string) => {
    inspect([createSegment(text, "assistant", { pointer: "/x" })], context);
  };

  await expectLinear(run, (length) => piece.repeat(length / piece.length));
});
