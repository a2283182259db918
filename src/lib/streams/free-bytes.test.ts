import { expect, test } from "bun:test";
import { freeBytes } from "./free-bytes.ts";

test("bytes with a buffer of their own are gone, a part of a larger one stays", () => {
  const own = new Uint8Array(10);
  const larger = new Uint8Array(10);

  freeBytes(own);
  freeBytes(larger.subarray(0, 5));

  expect(own.length).toBe(0);
  expect(larger.length).toBe(10);
});
