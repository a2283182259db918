import { expect, test } from "bun:test";
import { createSizeCap, readAllChunks } from "./capped-body.ts";

const chunks = (...sizes: number[]) => {
  const left = sizes.map((size) => new Uint8Array(size).fill(size));
  return { left, next: async () => left.shift() };
};
const tooLarge = () => new Error("too large");

test("the chunks are concatenated, and one chunk is not copied", async () => {
  const one = new Uint8Array(3);
  const body = [one];

  expect([...(await readAllChunks(chunks(1, 2).next))]).toEqual([1, 2, 2]);
  expect(await readAllChunks(async () => body.shift())).toBe(one);
  expect(await readAllChunks(async () => undefined)).toHaveLength(0);
});

test("a body of exactly the cap is read, one byte more stops the reading", async () => {
  const { left, next } = chunks(4, 5, 6, 7);

  expect(await readAllChunks(chunks(4, 5).next, createSizeCap(9, tooLarge))).toHaveLength(9);
  await expect(readAllChunks(next, createSizeCap(8, tooLarge))).rejects.toThrow("too large");
  expect(left).toHaveLength(2);
});
