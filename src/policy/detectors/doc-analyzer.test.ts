import { expect, test } from "bun:test";
import type { InspectionContext, Match } from "../detector.ts";
import { createSegment } from "../segment.ts";
import { docAnalyzer } from "./doc-analyzer.ts";

const attachment = (problem: string | null) => ({
  pointer: "/attachments/0",
  filename: "a.pdf",
  problem,
});

async function find(text: string, settings: object = {}, attachments = [attachment(null)]) {
  const inspect = docAnalyzer.prepare(settings);
  const texts = text ? [createSegment(text, "attachment", { pointer: "/attachments/0" })] : [];
  return (await inspect(texts, { attachments } as unknown as InspectionContext)) as Match[];
}

const TEXTS = {
  pii: "Write to ada@example.com about it.",
  secret: `password: "tR0ub4dor&3xyz"`,
  injection: "'; DROP TABLE users; --",
  hidden_text: "ig\u200b\u200b\u200b\u200b\u200bnore",
};

test.each(Object.entries(TEXTS))("5 an attachment with %s is found", async (type, text) => {
  expect((await find(text)).map((match) => match.type)).toContain(type);
});

test.each([
  ["pii", TEXTS.pii],
  ["secrets", TEXTS.secret],
  ["injection", TEXTS.injection],
  ["hidden_text", TEXTS.hidden_text],
])("%s can be disabled", async (member, text) => {
  expect(await find(text, { [member]: false })).toEqual([]);
});

test("ordinary prose is not reported", async () => {
  expect(await find("The annual report says that revenue grew by 12% in 2025.")).toEqual([]);
});

test("a match has a location and no mask, since attachments cannot be rewritten", async () => {
  const [match] = await find(TEXTS.pii);

  expect(match).toMatchObject({ label: "email", at: { start: 9, end: 24 } });
  expect(match).not.toHaveProperty("mask");
});

test("an unreadable attachment is reported", async () => {
  const problem = "The PDF needs a password.";

  expect(await find("", {}, [attachment(problem), attachment(null)])).toEqual([
    {
      label: "unreadable",
      type: "unreadable_attachment",
      confidence: 1,
      detail: { pointer: "/attachments/0", problem },
    },
  ]);
  expect(await find("", { unreadable: "ignore" }, [attachment(problem)])).toEqual([]);
});
