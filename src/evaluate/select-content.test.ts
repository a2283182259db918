import { heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import { readPayload } from "../policy/payload/read-payload.ts";
import { selectContent } from "./select-content.ts";

test("nothing that is computed to mask one of many texts stays in memory", () => {
  const input = Array.from({ length: 2000 }, () => "a");
  const payload = readPayload(
    { input },
    { direction: "input", protocol: "llm", attributes: {}, is_foreign_body: false },
  );
  const countMaps = () => {
    Bun.gc(true);
    return heapStats().objectTypeCounts.Map ?? 0;
  };
  const before = countMaps();

  const content = selectContent("masked", payload, { hidden: [], status: "allow" });

  expect(content).toHaveLength(input.length);
  expect(countMaps() - before).toBeLessThan(input.length / 10);
});

test.each(["a@b.co", `${"long.name.".repeat(6)}ana@example.com`])(
  "what is stored of a long text is masked completely: %s",
  (address) => {
    const text = `${address} `.repeat(3_000_000 / address.length);
    const payload = readPayload(
      { input: text },
      { direction: "input", protocol: "llm", attributes: {}, is_foreign_body: false },
    );

    const [stored] = selectContent("masked", payload, { hidden: [], status: "allow" }) ?? [];

    const masked = text.replaceAll(address, "[MASKED_EMAIL]").slice(0, 1024 * 1024);
    expect(stored?.text === masked).toBe(true);
    expect(stored?.masked).toBe(true);
  },
);

test("a long text without personal data is stored as it is", () => {
  const text = "hello ".repeat(800_000);
  const payload = readPayload(
    { input: text },
    { direction: "input", protocol: "llm", attributes: {}, is_foreign_body: false },
  );

  const [stored] = selectContent("masked", payload, { hidden: [], status: "allow" }) ?? [];

  expect(stored?.text === text.slice(0, 1024 * 1024)).toBe(true);
  expect(stored?.masked).toBe(undefined);
});

test("text beyond what is stored is not searched", () => {
  const payload = readPayload(
    { input: "hello ".repeat(800_000) },
    { direction: "input", protocol: "llm", attributes: {}, is_foreign_body: false },
  );

  selectContent("masked", payload, { hidden: [], status: "allow" });

  expect(payload.segments[0]?.memo).toBe(undefined);
});
