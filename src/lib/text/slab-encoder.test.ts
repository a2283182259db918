import { expect, test } from "bun:test";
import { createSlabEncoder } from "./slab-encoder.ts";

test("texts of any length are encoded, and later texts do not overwrite earlier ones", () => {
  const encode = createSlabEncoder();
  const texts = Array.from({ length: 500 }, (_, at) => `${at} \u{1f600}é`.repeat((at % 50) + 1));
  texts.push("x".repeat(100_000), "");

  const encoded = texts.map(encode);

  expect(encoded.map((bytes) => new TextDecoder().decode(bytes))).toEqual(texts);
});
