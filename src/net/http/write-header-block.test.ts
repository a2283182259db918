import { expect, test } from "bun:test";
import { toRequestTarget, writeHeaderBlock } from "./write-header-block.ts";

test("the head is its line, its headers and an empty line", () => {
  const head = writeHeaderBlock({ method: "GET", path: "/a?b" }, { host: "x", "x-a": "b c" });

  expect(head).toBe("GET /a?b HTTP/1.1\r\nhost: x\r\nx-a: b c\r\n\r\n");
});

test.each([
  ["a line end in a value", { "x-a": "b\r\nx-injected: 1" }],
  ["a line feed in a value", { "x-a": "b\nc" }],
  ["a null in a value", { "x-a": "b\0" }],
  ["a character that is no byte", { "x-a": "€" }],
  ["a line end in a name", { "x-a\r\nx-b": "c" }],
  ["a space in a name", { "x a": "c" }],
  ["an empty name", { "": "c" }],
])("%s is rejected, and the error does not show the value", (_, headers) => {
  expect(() => writeHeaderBlock({ method: "GET", path: "/" }, headers)).toThrow("is invalid");
});

test.each(["", "get", "GET /other HTTP/1.1\r\n", "A B"])("%p is no method", (method) => {
  expect(() => writeHeaderBlock({ method, path: "/" }, {})).toThrow("Unsupported method");
});

test.each([
  ["/v1/files?limit=2&order=desc", "/v1/files?limit=2&order=desc"],
  ["/v1/a%2Fb", "/v1/a%2Fb"],
  ["", "/"],
  ["?a=b", "/?a=b"],
  ["/a b", "/a%20b"],
  ["/a\r\nb", "/ab"],
  ["/é", "/%C3%A9"],
  ["/v1/../admin", "/admin"],
  ["/v1/%2e%2E/admin", "/admin"],
  ["/v1/.%2e/admin", "/admin"],
  ["/v1/./x", "/v1/x"],
  ["/v1\\x", "/v1/x"],
  ["/a#part", "/a"],
  ["/a?b#part", "/a?b"],
  ["/a?b c", "/a?b%20c"],
  ["/a?b='c'", "/a?b=%27c%27"],
])("the path of %p is %p, as a URL parser reads it", (rest, path) => {
  const origin = "http://x.test";

  expect(toRequestTarget(origin + rest, origin.length)).toBe(path);
  const { pathname, search } = new URL(origin + rest);
  expect(path).toBe(pathname + search);
});
