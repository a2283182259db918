import { expect, test } from "bun:test";
import { expectLinear } from "../../../test/kit/expect-linear.ts";
import { readSseEvents } from "./read-sse-events.ts";

async function* cut(text: string, size: number) {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const invalid = () => new Error("invalid stream");
const read = (text: string, size = 1000) =>
  Array.fromAsync(readSseEvents(cut(text, size), invalid));

test.each([1, 2, 3, 7, 1000])("events are assembled from chunks of %d bytes", async (size) => {
  const text =
    'event: message\r\ndata: {"a":\r\ndata:"é"}\r\n\r\nid: 7\ndata: two\n\ndata: cut off';

  expect((await read(text, size)).map(({ data }) => data)).toEqual(['{"a":\n"é"}', "two"]);
});

test("an event has its type, the last id of the stream and the time to wait before reconnecting", async () => {
  const text = "id: 1\nretry: 500\ndata:\n\nevent: ping\ndata: x\n\ndata: y\n\n";

  expect(await read(text)).toEqual([
    { type: "message", data: "", id: "1", retry_ms: 500 },
    { type: "ping", data: "x", id: "1", retry_ms: undefined },
    { type: "message", data: "y", id: "1", retry_ms: undefined },
  ]);
});

test("an id with NUL, and a retry that is not a number or too large, are ignored", async () => {
  const [event] = await read("id: a\0b\nretry: soon\nretry: 1000000000\ndata: x\n\n");

  expect(event).toEqual({ type: "message", data: "x", id: "", retry_ms: undefined });
});

test("a line of 8 MiB is read in linear time", async () => {
  const began = performance.now();
  const [event] = await read(`data: ${"x".repeat(8 * 1024 * 1024)}\n\n`, 1024);

  expect(event?.data.length).toBe(8 * 1024 * 1024);
  expect(performance.now() - began).toBeLessThan(4000);
});

test.each([
  ["CR", (length: number) => "\r".repeat(length)],
  ["LF before one CR", (length: number) => `${"\n".repeat(length)}\rdata`],
])("lines that end with %s are read in linear time", async (_, make) => {
  await expectLinear((text) => read(text, text.length), make);
});

test.each([1, 2, 3, 1000])("lines may end with CR, in chunks of %d bytes", async (size) => {
  const text = "data: a\rdata: b\r\rdata: c\n\rdata: d\r\n\ndata: e\r\r\ndata: f\r\r";

  expect((await read(text, size)).map(({ data }) => data)).toEqual(["a\nb", "c", "d", "e", "f"]);
});

test("the LF of a CR may follow an empty chunk", async () => {
  const chunks = async function* () {
    for (const text of ["data: a\r", "", "\ndata: b\r\n\r\n"]) yield Buffer.from(text);
  };

  const events = await Array.fromAsync(readSseEvents(chunks(), invalid));

  expect(events.map(({ data }) => data)).toEqual(["a\nb"]);
});

test("a stream of invalid lines is rejected before it takes much time", async () => {
  await expect(read("x\n".repeat(2000), 100)).rejects.toThrow("invalid stream");
  expect(await read(`${"x\n".repeat(1000)}data: y\n\n`)).toHaveLength(1);
});
