import { expect, test } from "bun:test";
import { crc32 } from "node:zlib";
import { EventStreamCodec } from "@smithy/eventstream-codec";
import { createAwsEventDecoder } from "./aws-event-stream.ts";

// The encoder of the AWS SDK.
const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes).toString(),
  (text) => Buffer.from(text),
);

function encode(type: string, payload: string): Uint8Array {
  return codec.encode({
    headers: {
      ":event-type": { type: "string", value: type },
      flag: { type: "boolean", value: true },
      count: { type: "integer", value: 7 },
      raw: { type: "binary", value: new Uint8Array([1, 2, 3]) },
      at: { type: "timestamp", value: new Date(0) },
      id: { type: "uuid", value: "00000000-0000-0000-0000-000000000001" },
      ":message-type": { type: "string", value: "event" },
    },
    body: Buffer.from(payload),
  });
}

const STREAM = Buffer.concat([
  encode("start", '{"text":"Hällo 🙂"}'),
  encode("stop", ""),
  encode("x", "{}"),
]);
const DECODED = [
  ["start", '{"text":"Hällo 🙂"}'],
  ["stop", ""],
  ["x", "{}"],
];

function decodeAll(chunks: Uint8Array[]) {
  const decoder = createAwsEventDecoder();
  const messages = chunks.flatMap((chunk) => decoder.push(chunk));
  const decoded = messages.map(({ headers, payload }) => [headers.get(":event-type"), payload]);
  return { decoded, isComplete: decoder.isComplete() };
}

test("messages of the AWS SDK's encoder are decoded at every boundary of chunks", () => {
  const expected = { decoded: DECODED as [string, string][], isComplete: true };
  expect(decodeAll([STREAM])).toEqual(expected);
  for (let at = 0; at <= STREAM.length; at++) {
    expect(decodeAll([STREAM.subarray(0, at), STREAM.subarray(at)])).toEqual(expected);
  }
  expect(decodeAll([...STREAM].map((byte) => Buffer.of(byte)))).toEqual(expected);
});

test("a stream that ends inside a message is not complete", () => {
  expect(decodeAll([STREAM.subarray(0, -1)])).toEqual({
    decoded: DECODED.slice(0, 2) as [string, string][],
    isComplete: false,
  });
});

test("a changed byte is detected", () => {
  const message = Buffer.from(encode("start", "{}"));
  for (let at = 0; at < message.length; at++) {
    const changed = Buffer.from(message);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(() => createAwsEventDecoder().push(changed)).toThrow("checksum");
  }
});

test("a length over the limit is rejected before the message arrives", () => {
  for (const [length, headers] of [
    [0xffff_ffff, 0],
    [15, 0],
    [100, 0xffff],
    [17_000_000, 200_000],
  ] as const) {
    const prelude = Buffer.alloc(12);
    prelude.writeUInt32BE(length, 0);
    prelude.writeUInt32BE(headers, 4);
    prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
    expect(() => createAwsEventDecoder().push(prelude)).toThrow("length of an event is invalid");
  }
});
