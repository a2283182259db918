import { expect, test } from "bun:test";
import { expectLinear } from "../../test/kit/expect-linear.ts";
import type { InspectionContext, Match } from "./detector.ts";
import { dataLossPrevention } from "./detectors/data-loss-prevention.ts";
import { injectionProtection } from "./detectors/injection-protection.ts";
import { promptModeration } from "./detectors/prompt-moderation.ts";
import { secrets } from "./detectors/secrets.ts";
import { createSegment, type SegmentSource } from "./segment.ts";

const KEY = ["ghp_", "kD7mQx2VbT9zRfL4wHs8", "JpN3cYg6XaE5uBqW"].join("");

const find = (
  detector: typeof secrets,
  texts: readonly string[],
  { settings = {}, source = "user" }: { settings?: object; source?: SegmentSource } = {},
) =>
  detector.prepare(settings)(
    texts.map((text, index) => createSegment(text, source, { pointer: `/messages/${index}` })),
    {} as InspectionContext,
  ) as readonly Match[];
const parts = (matches: readonly Match[]) =>
  matches.map(({ at }) => [at?.segment.pointer, at?.segment.text.slice(at.start, at.end)]);

test("a secret that continues in the next message is found in both", () => {
  const found = find(secrets, [`use ${KEY.slice(0, 17)}`, `${KEY.slice(17)} please`]);

  expect(parts(found)).toEqual([
    ["/messages/0", KEY.slice(0, 17)],
    ["/messages/1", KEY.slice(17)],
  ]);
});

test.each([
  ["a card", dataLossPrevention, ["my card is 4111 1111", "1111 1111"], {}],
  ["an address", dataLossPrevention, ["write to ana.maria@exa", "mple.com"], {}],
  ["a phrase", promptModeration, ["about project", "falcon"], { keywords: ["project falcon"] }],
  ["a word", promptModeration, ["it is confid", "ential"], { keywords: ["confidential"] }],
  ["a key", secrets, [KEY.slice(0, -1), `${KEY.slice(-1)} please`], {}],
  ["an injection", injectionProtection, ["open ../../e", "tc/passwd"], {}],
])("%s that is split between two messages is found", (_, detector, texts, settings) => {
  expect(find(detector, texts, { settings })).toHaveLength(2);
});

test("a value that is split between many parts of a message is found in each", () => {
  const digits = Array.from("4111111111111111");
  const numbers = ["it is 4111 ", "1111 ", "1111 ", "1111 thanks"];
  for (const source of ["user", "system", "tool_result"] as const) {
    for (const texts of [digits, numbers]) {
      const segments = texts.map((text, index) =>
        createSegment(text, source, { pointer: `/messages/0/content/${index}/text` }),
      );
      const found = dataLossPrevention.prepare({})(segments, {} as InspectionContext);

      expect(new Set((found as Match[]).map(({ at }) => at?.segment))).toEqual(new Set(segments));
    }
  }
});

test.each<[string, SegmentSource, (index: number) => string]>([
  ["responses to an assistant", "user", (index) => `/messages/${index * 2}/content`],
  ["items of a list", "user", (index) => `/input/${index}`],
  ["words of a scan", "tool_result", (index) => `/result/structuredContent/words/${index}/text`],
])("numbers that are %s are not joined", (_, source, toPointer) => {
  for (const texts of [Array.from("4111111111111111"), ["41111111", "11111111"]]) {
    const segments = texts.map((text, index) =>
      createSegment(text, source, { pointer: toPointer(index), turn: index }),
    );

    expect(dataLossPrevention.prepare({})(segments, {} as InspectionContext)).toEqual([]);
  }
});

test("a mask of the same length is divided between the messages", () => {
  const settings = { preserve_len: true };
  const found = find(secrets, [KEY.slice(0, 10), KEY.slice(10)], { settings });

  expect(found.map(({ mask }) => mask)).toEqual([
    { text: "*".repeat(10) },
    { text: "*".repeat(30) },
  ]);
});

test.each([
  ["a sentence ends", ["my number is 4111 1111 then.", "1111 1111"], "user"],
  ["a sentence starts", ["my number is 4111 1111", "Then 1111 1111"], "user"],
  ["they are tool results", ["4111 1111", "1111 1111"], "tool_result"],
] as const)("messages are not joined where %s", (_, texts, source) => {
  expect(find(dataLossPrevention, texts, { source })).toEqual([]);
});

test("many messages are inspected in linear time", async () => {
  const inspect = secrets.prepare({});

  await expectLinear(
    (text) =>
      inspect(
        Array.from({ length: text.length / 50 }, () =>
          createSegment("x".repeat(50), "user", { pointer: "/x" }),
        ),
        {} as InspectionContext,
      ),
    (length) => "x".repeat(length),
  );
});

test.each(["user", "tool_arguments"] as const)(
  "many texts of %s below a long name are inspected in linear time",
  async (source) => {
    const inspect = dataLossPrevention.prepare({});

    await expectLinear(
      (name) =>
        inspect(
          Array.from({ length: name.length / 100 }, (_, index) =>
            createSegment("word", source, { pointer: `/${name}/${index}` }),
          ),
          {} as InspectionContext,
        ),
      (length) => "n".repeat(length),
    );
  },
);
