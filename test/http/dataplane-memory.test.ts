/** Memory depends on requests in flight, not on requests that have ended. */
import { heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import { startKit } from "../kit/kit.ts";
import { startConsumer } from "../kit/start-consumer.ts";
import { startLimited } from "../limiter/limited.ts";

const MIB = 1024 * 1024;

test("thousands of requests, each with another model, user and trace, leave nothing in memory", async () => {
  await using kit = await startKit();
  await using one = await startLimited(kit, { limits: { per_user: { limit: 1, window: "1s" } } });
  const ask = async () => {
    const headers = { "x-user-id": crypto.randomUUID(), traceparent: traceparent() };
    const reply = await one.post("/v1/chat/completions", { model: crypto.randomUUID() }, headers);
    await reply.arrayBuffer();
  };
  /** Returns the memory used after `count` more requests, once the limiter's windows have ended. */
  const heldAfter = async (count: number) => {
    for (let left = count; left > 0; left -= 32) await Promise.all(Array.from({ length: 32 }, ask));
    one.upstream.hits.length = 0;
    kit.lines.length = 0;
    await Bun.sleep(1500);
    await ask();
    Bun.gc(true);
    return heapStats().heapSize;
  };
  await heldAfter(3000);
  const before = await heldAfter(3000);

  const after = await heldAfter(6000);

  expect(after - before).toBeLessThan(2 * MIB);
}, 60_000);

test("ids of many kilobytes that no object has leave nothing in memory", async () => {
  await using kit = await startKit();
  await using one = await startConsumer(kit, [{ provider: "openai" }], [], { files_scope: "own" });
  const ask = async () => {
    const file_ids = [crypto.randomUUID() + "f".repeat(4 * MIB)];
    const reply = await one.post("/v1/chat/completions", { model: "m", messages: [], file_ids });
    expect(reply.status).toBe(404);
    await reply.arrayBuffer();
  };
  const heldAfter = async (count: number) => {
    for (let left = count; left > 0; left--) await ask();
    Bun.gc(true);
    return heapStats().heapSize + heapStats().extraMemorySize;
  };
  const before = await heldAfter(2);

  const after = await heldAfter(16);

  expect(after - before).toBeLessThan(24 * MIB);
}, 30_000);

const traceparent = () => `00-${crypto.randomUUID().replaceAll("-", "")}-b7ad6b7169203331-01`;
