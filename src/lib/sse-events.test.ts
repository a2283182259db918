import { expect, test } from "bun:test";
import { sseEvents } from "./sse-events.ts";

async function* cut(text: string, size: number) {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

test.each([1, 2, 3, 7, 1000])("events come whole from pieces of %d bytes", async (size) => {
  const text =
    ': hello\n\nevent: message\r\ndata: {"a":\r\ndata:"é"}\r\n\r\nid: 7\ndata: two\n\ndata: cut off';

  expect(await Array.fromAsync(sseEvents(cut(text, size)))).toEqual(['{"a":\n"é"}', "two"]);
});

test("a line of many mebibytes is read in one pass", async () => {
  const began = performance.now();
  const [event] = await Array.fromAsync(
    sseEvents(cut(`data: ${"x".repeat(8 * 1024 * 1024)}\n\n`, 1024)),
  );

  expect(event?.length).toBe(8 * 1024 * 1024);
  expect(performance.now() - began).toBeLessThan(4000);
});
