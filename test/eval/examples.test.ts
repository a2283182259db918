/** Readers and generators of labeled text for `npm run eval`. */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { plant, sample } from "../../eval/example.ts";
import { generateMatch } from "../../eval/readers/generate-match.ts";
import { readCsv } from "../../eval/readers/read-files.ts";
import { seeded } from "../kit/random.ts";

const texts = Array.from({ length: 50 }, (_, index) => ({ text: `text number ${index}` }));

test("a sample is the same each time, differs by source, and has no text twice", () => {
  const one = sample([...texts, ...texts], { source: "one", size: 20 });
  expect(one).toEqual(sample(texts, { source: "one", size: 20 }));
  expect(one).not.toEqual(sample(texts, { source: "two", size: 20 }));
  expect(new Set(one.map(({ text }) => text)).size).toBe(20);
  expect(sample(texts, { source: "one", size: Number.POSITIVE_INFINITY })).toHaveLength(50);
});

test("an attack is planted at boundaries, and its position is returned", () => {
  const document = "First sentence. Second sentence.\nA line\n\nThe end";
  const random = seeded(7);
  const starts = Array.from({ length: 40 }, () => {
    const { text, start } = plant(document, "INSERTED", random);
    expect(text.slice(start, start + 8)).toBe("INSERTED");
    expect(
      text
        .replace(/\s*INSERTED\s*/, " ")
        .replace(/\s+/g, " ")
        .trim(),
    ).toBe(document.replace(/\s+/g, " "));
    return start;
  });
  expect(new Set(starts).size).toBeGreaterThan(3);
});

test.each([
  "[a-z]{3}-\\d{2,4}",
  "(?:AKIA|ASIA)[A-Z2-7]{16}",
  "x(?:y|z)+[\\w.-]{5}\\x41",
  "sk_[\\S]{8}",
])("text generated for %s matches it", (pattern) => {
  const random = seeded(3);
  for (let round = 0; round < 50; round += 1) {
    expect(generateMatch(pattern, random)).toMatch(new RegExp(`^(?:${pattern})$`));
  }
});

test("only the first group is generated if a pattern has one", () => {
  const pattern = "(?i)(?:acme)[ \\t]{0,5}(?:=|:)([a-f0-9]{32})(?:[^\\w]|$)";
  expect(generateMatch(pattern, seeded(1))).toMatch(/^[a-f0-9]{32}$/);
});

test("CSV fields may contain commas, quotes and line breaks", async () => {
  const folder = mkdtempSync(join(tmpdir(), "eval-csv-"));
  const path = join(folder, "rows.csv");
  await Bun.write(path, '\uFEFFid,text\r\n1,"a, ""b""\nc"\r\n2,\r\n3,plain\r\n');
  expect(await readCsv(path)).toEqual([
    { id: "1", text: 'a, "b"\nc' },
    { id: "2", text: "" },
    { id: "3", text: "plain" },
  ]);
  rmSync(folder, { recursive: true });
});

test("the spans of a library that only redacts are found by alignment", async () => {
  const text = "Hi David Johnson, mail ana@example.com or call 212-555-0123 today.";
  const peer = Bun.spawn(
    [process.execPath, "eval/peers/npm-peer.ts", "@redactpii/node", resolve("."), "personal_data"],
    { stdin: Buffer.from(JSON.stringify([text])), stdout: "pipe" },
  );
  const { spans } = (await new Response(peer.stdout).json()) as {
    spans: { type: string; start: number; end: number }[];
  };
  expect(spans.map(({ type, start, end }) => [type, text.slice(start, end)])).toEqual([
    ["PERSON_NAME", "Hi David Johnson"],
    ["EMAIL_ADDRESS", "ana@example.com"],
    ["PHONE_NUMBER", "212-555-0123"],
  ]);
});
