import { expect, test } from "bun:test";
import { createEventCheck } from "./check-events.ts";

test("a stream that exceeds 8 MiB of text is rejected, because writers keep its parts", () => {
  const check = createEventCheck();
  check({ type: "start" });
  check({ type: "part_start", part: { type: "tool_call", id: "t1", name: "read", arguments: "" } });
  const text = "x".repeat(1024 * 1024);
  for (let count = 0; count < 7; count += 1) check({ type: "delta", text });

  expect(() => check({ type: "delta", text })).toThrow("is too long to be translated");
});

test("characters that are escaped count as the text that writers send", () => {
  const check = createEventCheck();
  check({ type: "start" });
  check({ type: "part_start", part: { type: "text", text: "" } });

  const text = "\0".repeat(2 * 1024 * 1024);

  expect(() => check({ type: "delta", text })).toThrow("is too long to be translated");
});
