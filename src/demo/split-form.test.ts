/** A form gives the same parts wherever its bytes are cut in transit. */
import { expect, test } from "bun:test";
import { splitForm } from "./split-form.ts";

const FORM = [
  "preamble",
  "--b",
  'Content-Disposition: form-data; name="model"',
  "",
  "demo",
  "--b",
  'content-disposition: form-data; name="file"; filename="a \\"b\\".txt"',
  "Content-Type: text/plain",
  "",
  "one\r\n--not the end\r\n--\r\n-b",
  "--b",
  'Content-Disposition: form-data; name="empty"',
  "",
  "",
  "--b--",
  "epilogue",
].join("\r\n");

async function read(chunks: string[]): Promise<string[]> {
  async function* body() {
    for (const chunk of chunks) yield Buffer.from(chunk);
  }
  const told: string[] = [];
  let content = "";
  for await (const step of splitForm(body(), "b")) {
    if (Buffer.isBuffer(step)) {
      content += step.toString();
    } else {
      told.push(content, JSON.stringify(step));
      content = "";
    }
  }
  return told;
}

const EXPECTED = [
  "",
  '{"name":"model"}',
  "demo",
  '{"name":"file","filename":"a \\"b\\".txt","type":"text/plain"}',
  "one\r\n--not the end\r\n--\r\n-b",
  '{"name":"empty"}',
  "",
  '"end"',
];

test("in one piece", async () => {
  expect(await read([FORM])).toEqual(EXPECTED);
});

test("byte by byte", async () => {
  expect(await read([...FORM])).toEqual(EXPECTED);
});

test("cut in two at every place", async () => {
  const cuts = await Promise.all(
    Array.from(FORM, (_, at) => read([FORM.slice(0, at), FORM.slice(at)])),
  );

  expect(new Set(cuts.map((told) => JSON.stringify(told)))).toEqual(
    new Set([JSON.stringify(EXPECTED)]),
  );
});

test("a body without its closing boundary has no end", async () => {
  expect(await read([FORM.slice(0, FORM.indexOf("--b--"))])).not.toContain('"end"');
});

test("a part header that never ends is given up", async () => {
  const chunks = ["--b\r\n", ...Array(100).fill("x".repeat(1000)), "\r\n\r\n\r\n--b--"];

  expect(await read(chunks)).toEqual([]);
});
