import { expect, test } from "bun:test";
import { readHeaderBlock } from "./read-header-block.ts";

const head = (...lines: string[]) => readHeaderBlock(lines.join("\r\n"), "POST");

test("names are lower case, values lose the space around them, repeats are joined", () => {
  const read = head("HTTP/1.1 200 OK", "X-A:  one\t", "x-a: two", "Empty:", "Content-Length: 3");

  expect(read?.status).toBe(200);
  const values = ["x-a", "empty", "content-length", "a", "x-b"].map((name) =>
    read?.headers.get(name),
  );
  expect(values).toEqual(["one, two", "", "3", undefined, undefined]);
});

test.each([
  ["a length", ["content-length: 3"], { kind: "length", length: 3 }, true],
  ["chunks", ["transfer-encoding: Chunked"], { kind: "chunked" }, true],
  ["neither", [], { kind: "close" }, false],
  ["close", ["content-length: 3", "connection: Close"], { kind: "length", length: 3 }, false],
  // RFC 9112 section 6.1: chunked framing applies, and what follows is unknown.
  ["both", ["content-length: 3", "transfer-encoding: chunked"], { kind: "chunked" }, false],
] as const)("with %s the end and the reuse are clear", (_, lines, framing, reusable) => {
  expect(head("HTTP/1.1 200 OK", ...lines)).toMatchObject({ framing, reusable });
});

test("an older version keeps a connection only when it says so", () => {
  const length = "content-length: 3";

  expect(head("HTTP/1.0 200 OK", length)?.reusable).toBe(false);
  expect(head("HTTP/1.0 200 OK", length, "connection: keep-alive")?.reusable).toBe(true);
});

test("chunks of an older version, which knows none, end their connection", () => {
  const lines = ["transfer-encoding: chunked", "connection: keep-alive"];

  expect(head("HTTP/1.0 200 OK", ...lines)).toMatchObject({
    framing: { kind: "chunked" },
    reusable: false,
  });
});

test.each([
  ["204", "POST"],
  ["304", "GET"],
  ["200", "HEAD"],
])("%s to %s has no body, regardless of its headers", (status, method) => {
  const read = readHeaderBlock(`HTTP/1.1 ${status} X\r\ncontent-length: 5`, method);

  expect(read?.framing).toEqual({ kind: "length", length: 0 });
});

test.each([
  ["another protocol", "HTTP/2 200 OK"],
  ["no status", "HTTP/1.1"],
  ["a status of four digits", "HTTP/1.1 2000 OK"],
  ["a status below 100", "HTTP/1.1 099 OK"],
  ["a control character in the first line", "HTTP/1.1 200 O\0K"],
  ["a line without colon", "HTTP/1.1 200 OK\r\nnonsense"],
  ["no name", "HTTP/1.1 200 OK\r\n: x"],
  ["space before the colon", "HTTP/1.1 200 OK\r\nContent-Length : 3"],
  ["a folded line", "HTTP/1.1 200 OK\r\na: b\r\n c"],
  ["a stray line feed", "HTTP/1.1 200 OK\r\na: b\nc: d"],
  ["a stray carriage return", "HTTP/1.1 200 OK\r\na: b\rc"],
  ["a null", "HTTP/1.1 200 OK\r\na: \0"],
  ["two lengths", "HTTP/1.1 200 OK\r\ncontent-length: 3\r\ncontent-length: 4"],
  ["a length with a sign", "HTTP/1.1 200 OK\r\ncontent-length: +3"],
  ["an empty length", "HTTP/1.1 200 OK\r\ncontent-length:"],
  ["a length beyond all bounds", "HTTP/1.1 200 OK\r\ncontent-length: 9999999999999999"],
  ["an unknown encoding", "HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked"],
  ["chunked twice", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ntransfer-encoding: chunked"],
])("%s is no proper head", (_, text) => {
  expect(readHeaderBlock(text, "POST")).toBeUndefined();
});
