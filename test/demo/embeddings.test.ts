/** Embeddings of the demo upstream: unit vectors in which alike texts lie close. */
import { expect, test } from "bun:test";
import { startDemo } from "./start-demo.ts";

const dot = (a: number[], b: number[]) => a.reduce((sum, x, at) => sum + x * (b[at] ?? 0), 0);

async function embed(input: unknown, more: object = {}) {
  await using demo = startDemo();
  const response = await demo.post("embeddings", { model: "any", input, ...more });
  const { data, ...rest } = await response.json();
  return { ...rest, vectors: data.map(({ embedding }: { embedding: unknown }) => embedding) };
}

test("each input has a unit vector, the same each time", async () => {
  const { vectors, model } = await embed(["One text", "Another text"]);
  const again = await embed("Another text");

  expect(model).toBe("any");
  expect(vectors).toHaveLength(2);
  expect(vectors[0]).toHaveLength(256);
  expect(dot(vectors[0], vectors[0])).toBeCloseTo(1, 5);
  expect(again.vectors[0]).toEqual(vectors[1]);
});

test("texts about the same topic are closer than others", async () => {
  const { vectors } = await embed([
    "The cat sleeps on the warm roof",
    "Cats sleeping on roofs",
    "Quarterly revenue grew in every region",
  ]);
  const [cat, cats, revenue] = vectors;

  expect(dot(cat, cats)).toBeGreaterThan(0.3);
  expect(dot(cat, cats)).toBeGreaterThan(dot(cat, revenue) + 0.2);
  expect(dot(cat, cats)).toBeGreaterThan(dot(cats, revenue) + 0.2);
});

test("dimensions sets the length, still of norm one", async () => {
  const { vectors } = await embed("Hello world", { dimensions: 8 });

  expect(vectors[0]).toHaveLength(8);
  expect(dot(vectors[0], vectors[0])).toBeCloseTo(1, 5);
});

test("base64 carries the same numbers as 32-bit floats", async () => {
  const plain = await embed("Hello world");
  const packed = await embed("Hello world", { encoding_format: "base64" });

  const bytes = Uint8Array.from(Buffer.from(packed.vectors[0], "base64"));
  expect([...new Float32Array(bytes.buffer)]).toEqual(plain.vectors[0]);
});

test("token numbers are accepted, as one list or several", async () => {
  const one = await embed([1, 2, 3]);
  const many = await embed([[1, 2, 3], [4]]);

  expect(one.vectors).toHaveLength(1);
  expect(many.vectors).toHaveLength(2);
  expect(many.vectors[0]).toEqual(one.vectors[0]);
});

test("usage counts the tokens of all inputs", async () => {
  const { usage } = await embed(["12345678", "1234"]);

  expect(usage).toEqual({ prompt_tokens: 3, total_tokens: 3 });
});

test.each([
  ["an input too long", { input: "x".repeat(40_000) }],
  ["inputs too long together", { input: Array(100).fill("x".repeat(20_000)) }],
  ["a response too large", { input: Array(2048).fill("x"), dimensions: 3072 }],
  ["too many dimensions", { input: "x", dimensions: 4000 }],
])("%s is a 400", async (_, body) => {
  await using demo = startDemo();

  expect((await demo.post("embeddings", body)).status).toBe(400);
});
