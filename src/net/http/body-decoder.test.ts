import { expect, test } from "bun:test";
import { seeded } from "../../../test/kit/random.ts";
import { createBodyDecoder } from "./body-decoder.ts";
import type { Framing } from "./read-header-block.ts";

/** Decodes the text cut into pieces of random length. */
function decode(framing: Framing, text: string, cut: () => number) {
  const decoder = createBodyDecoder(framing);
  const bytes = Buffer.from(text, "latin1");
  let body = "";
  let proper = true;
  for (let at = 0; proper && at < bytes.length && !decoder.state.done; ) {
    const end = at + cut();
    proper = decoder.feed(new Uint8Array(bytes.subarray(at, end)), (chunk) => {
      body += Buffer.from(chunk).toString("latin1");
    });
    at = end;
  }
  return { proper, body, ...decoder.state };
}

const whole = () => 1e9;
const bytewise = () => 1;

test("a chunked body is the same however it is written and cut", () => {
  const { below, pick } = seeded(11);
  for (let round = 0; round < 2000; round++) {
    let body = "";
    let text = "";
    for (let chunks = below(6); chunks > 0; chunks--) {
      const chunk = pick(["x", "\r\n", "0\r\n\r\n", "a".repeat(below(40) + 1)]);
      const size = `${pick(["", "000"])}${chunk.length.toString(16)}`;
      text += `${pick([size, size.toUpperCase()])}${pick(["", " ", ";a=b", ' ; a="c"'])}\r\n${chunk}\r\n`;
      body += chunk;
    }
    text += `0\r\n${pick(["", "x-trailer: 1\r\n", "a: b\r\nc: d\r\n"])}\r\n`;
    const most = below(20) + 1;

    const decoded = decode({ kind: "chunked" }, text, () => below(most) + 1);

    expect(decoded).toEqual({ proper: true, body, done: true, surplus: false });
  }
});

test("the data of a packet is passed on as one view, however many chunks it is in", () => {
  const taken: string[] = [];
  const packet = new Uint8Array(Buffer.from("2\r\nab\r\n1;x=y\r\nc\r\n3\r\ndef\r\n4\r\ngh"));

  createBodyDecoder({ kind: "chunked" }).feed(packet, (bytes) =>
    taken.push(Buffer.from(bytes).toString()),
  );

  expect(taken).toEqual(["abcdefgh"]);
});

test.each([
  ["no size", "\r\nx\r\n0\r\n\r\n"],
  ["a size that is no number", "xyz\r\n"],
  ["a negative size", "-1\r\nx\r\n"],
  ["a size with 0x before it", "0x1\r\nx\r\n0\r\n\r\n"],
  ["a size beyond all bounds", "fffffffffffffffff\r\nx"],
  ["space before the size", " 1\r\nx\r\n"],
  ["a line end of one character", "1\nx\r\n0\r\n\r\n"],
  ["a stray carriage return", "1;\rx\r\nx\r\n"],
  ["a chunk longer than its size", "1\r\nxy\r\n0\r\n\r\n"],
  ["a line without end", `1;${"a".repeat(20_000)}`],
  ["trailers without end", `0\r\n${"a: b\r\n".repeat(5_000)}`],
])("%s is no proper body, whole or byte by byte", (_, text) => {
  expect(decode({ kind: "chunked" }, text, whole).proper).toBe(false);
  expect(decode({ kind: "chunked" }, text, bytewise).proper).toBe(false);
});

test("surplus bytes are reported and are not part of the body", () => {
  const surplus = { proper: true, body: "abc", done: true, surplus: true };

  expect(decode({ kind: "length", length: 3 }, "abcHTTP/1.1", whole)).toEqual(surplus);
  expect(decode({ kind: "chunked" }, "3\r\nabc\r\n0\r\n\r\nHTTP", whole)).toEqual(surplus);
  expect(createBodyDecoder({ kind: "length", length: 0 }).state.done).toBe(true);
  expect(decode({ kind: "close" }, "abc", whole)).toMatchObject({ body: "abc", done: false });
});
