import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { peakMemory } from "../../../test/kit/peak-memory.ts";
import { createSpool, releaseBuffer, type Spool } from "./spool.ts";

const dir = mkdtempSync(join(tmpdir(), "spool-test-"));
afterAll(() => rmSync(dir, { recursive: true }));

const bytes = (size: number, seed: number) =>
  Uint8Array.from({ length: size }, (_, i) => (i * 31 + seed) % 251);

async function fill(spool: Spool, sizes: number[]): Promise<Uint8Array> {
  const chunks = sizes.map((size, i) => bytes(size, i));
  for (const chunk of chunks) await spool.append(chunk.slice());
  return Buffer.concat(chunks);
}

const read = (spool: Spool) => new Response(spool.stream()).bytes();

test.each([
  ["an empty body", []],
  ["memory only", [10, 20, 30]],
  ["exactly the limit", [50, 50]],
  ["memory, then file", [60, 60, 5, 200_000]],
  ["file only", [101, 7]],
])("%s is replayed byte for byte, twice", async (_, sizes) => {
  await using spool = createSpool({ dir, memoryLimit: 100 });

  const expected = await fill(spool, sizes);

  expect(spool.size).toBe(expected.length);
  expect(Buffer.compare(await read(spool), expected)).toBe(0);
  expect(Buffer.compare(await read(spool), expected)).toBe(0);
});

test("two concurrent replays do not affect each other", async () => {
  await using spool = createSpool({ dir, memoryLimit: 100 });
  const expected = await fill(spool, [80, 300_000]);

  const [one, two] = await Promise.all([read(spool), read(spool)]);

  expect(Buffer.compare(one, expected)).toBe(0);
  expect(Buffer.compare(two, expected)).toBe(0);
});

test("a replay ends where the spool ended when the replay started", async () => {
  await using spool = createSpool({ dir, memoryLimit: 10 });
  await fill(spool, [20]);

  const replay = spool.stream();
  await fill(spool, [20]);

  expect((await new Response(replay).bytes()).length).toBe(20);
  expect((await read(spool)).length).toBe(40);
});

test("the file is unlinked while it is in use", async () => {
  await using spool = createSpool({ dir: join(dir, "new"), memoryLimit: 10 });

  await fill(spool, [1000]);

  expect(readdirSync(join(dir, "new"))).toEqual([]);
  expect((await read(spool)).length).toBe(1000);
});

test("a disposed spool cannot be read", async () => {
  const spool = createSpool({ dir, memoryLimit: 10 });
  await fill(spool, [5, 1000]);
  const replay = spool.stream();

  await spool[Symbol.asyncDispose]();

  await expect(new Response(replay).bytes()).rejects.toThrow();
});

test("256 MB are spooled with little more than the limit in memory", async () => {
  const peak = await peakMemory(`
    import { createSpool } from "./src/lib/streams/spool.ts";
    await using spool = createSpool({ dir: ${JSON.stringify(dir)}, memoryLimit: 1024 * 1024 });
    let read = 0;
    for (let round = 0; round < 256; round++) await spool.append(new Uint8Array(1024 * 1024));
    for await (const chunk of spool.stream()) read += chunk.length;
    if (read !== 256 * 1024 * 1024) process.exit(1);
  `);

  expect(peak).toBeLessThan(200);
});

test("a chunk with its own buffer is freed, a view of a larger buffer is not", () => {
  const own = new Uint8Array(10);
  const larger = new Uint8Array(10);

  releaseBuffer(own);
  releaseBuffer(larger.subarray(0, 5));

  expect(own.length).toBe(0);
  expect(larger.length).toBe(10);
});
