import { expect, test } from "bun:test";
import type { InspectionContext } from "./detector.ts";
import { inspectMessages } from "./inspect-messages.ts";
import { inspectEach } from "./inspect-texts.ts";
import { createSegment } from "./segment.ts";

const createTexts = (count: number, text: string) =>
  Array.from({ length: count }, (_, index) =>
    createSegment(text, "user", { pointer: `/messages/${index}/content`, role: "user" }),
  );

/** Inspects texts, and counts how often others run in between. */
async function countPauses(
  texts: ReturnType<typeof createTexts>,
  {
    create = inspectEach,
    ...members
  }: { create?: typeof inspectEach } & Partial<InspectionContext> = {},
) {
  let pauses = 0;
  const waitForTurn = async () => {
    pauses += 1;
  };
  const inspected: string[] = [];
  const inspect = create(({ text }) => {
    inspected.push(text);
    return [];
  });
  await inspect(texts, {
    direction: "input",
    protocol: "llm",
    waitForTurn,
    ...members,
  } as InspectionContext);
  return { pauses, inspected };
}

test("others run after every 16 KiB, and short texts count for 128 bytes more", async () => {
  const { pauses, inspected } = await countPauses(createTexts(1000, "0123456789"));

  expect(inspected).toHaveLength(1000);
  expect(pauses).toBe(Math.floor((1000 * 138) / (16 * 1024)));
});

test("an inspection does not pause after its last text", async () => {
  expect((await countPauses(createTexts(1, "a".repeat(100_000)))).pauses).toBe(0);
  expect((await countPauses(createTexts(2, "a".repeat(100_000)))).pauses).toBe(1);
});

test("others run while a long text is prepared, before it is inspected", async () => {
  const prepared: string[] = [];
  function* prepare({ text }: { text: string }) {
    for (const part of ["a", "b", "c"]) {
      prepared.push(text.charAt(0) + part);
      yield 20_000;
    }
  }
  const create = (inspect: Parameters<typeof inspectEach>[0]) =>
    inspectEach(inspect, undefined, prepare);

  const long = await countPauses(createTexts(1, "x".repeat(100_000)), { create });
  expect([long.pauses, long.inspected.length]).toEqual([3, 1]);
  expect(prepared).toEqual(["xa", "xb", "xc"]);
  expect((await countPauses(createTexts(1, "x".repeat(1000)), { create })).pauses).toBe(0);
});

test("others run between the joints of messages, which a stream has not", async () => {
  const texts = createTexts(1000, "some words of a message");
  const create = inspectMessages;

  const each = await countPauses(texts);
  const joined = await countPauses(texts, { create });
  const streamed = await countPauses(texts, { create, direction: "output" });

  expect(joined.inspected.length).toBeGreaterThan(1900);
  expect(joined.pauses).toBeGreaterThan(1.8 * each.pauses);
  expect(streamed.inspected).toHaveLength(1000);
});

test("without turns, an inspection returns no promise", () => {
  const inspect = inspectEach(() => []);

  expect(inspect(createTexts(1000, "0123456789"), {} as InspectionContext)).toEqual([]);
});
