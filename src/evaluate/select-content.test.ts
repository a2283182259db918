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
