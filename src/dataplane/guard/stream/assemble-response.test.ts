import { expect, test } from "bun:test";
import { createUncappedMemory } from "../../../../test/kit/mask-words.ts";
import { parseUnambiguous } from "../../../lib/json/parse-strict.ts";
import { createAssembly } from "./assemble-response.ts";
import { createChatFormat } from "./chat-format.ts";

function measureCpu(work: () => void): number {
  const began = process.cpuUsage();
  work();
  return process.cpuUsage(began).user;
}

test("a long list in an event takes little more time than its parsing", () => {
  const list = Array(400_000).fill(1);
  const choice = { index: 0, delta: {}, list, other: ESCAPED };
  const data = JSON.stringify({ choices: [choice] }).replace(ESCAPED, "\\u0041");
  const took = { parsing: Infinity, all: Infinity };

  for (let round = 0; round < 5; round++) {
    const assembly = createAssembly(createChatFormat(), createUncappedMemory());
    took.parsing = Math.min(
      took.parsing,
      measureCpu(() => parseUnambiguous(data)),
    );
    const all = measureCpu(() => {
      assembly.add(data);
      assembly.toText();
    });
    took.all = Math.min(took.all, all);
  }

  expect(took.all).toBeLessThan(10 * took.parsing);
});

/** Names that may be escaped are checked too. */
const ESCAPED = "escaped";
