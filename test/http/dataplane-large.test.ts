/** Large bodies pass byte for byte in both directions, whoever is slow: nothing is freed before it is out. */
import { expect, test } from "bun:test";
import { makeConsumer } from "../kit/dataplane.ts";
import { startKit } from "../kit/kit.ts";

const MIB = 1024 * 1024;
const SIZE = 48 * MIB;

/** Bytes in which no stretch is like another. */
function noise(): Uint8Array<ArrayBuffer> {
  const words = new Uint32Array(SIZE / 4);
  for (let i = 0, state = 1; i < words.length; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    words[i] = state;
  }
  return new Uint8Array(words.buffer);
}

const digest = (bytes: Uint8Array) => Bun.SHA256.hash(bytes, "hex");

/** Reads all of it, with rests in between. */
async function slowly(body: ReadableStream<Uint8Array> | null): Promise<string> {
  const hash = new Bun.SHA256();
  let since = 0;
  for await (const chunk of body ?? []) {
    hash.update(chunk);
    since += chunk.length;
    if (since < 4 * MIB) continue;
    since = 0;
    await Bun.sleep(5);
  }
  return hash.digest("hex");
}

test("4.6 a large file goes up and comes down as it is, at the pace of the slower side", async () => {
  await using kit = await startKit();
  const file = noise();
  await using upstream = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    maxRequestBodySize: 1024 * MIB,
    fetch: async ({ method, body }) =>
      method === "POST" ? Response.json({ id: await slowly(body) }) : new Response(file),
  });
  const url = String(upstream.url).slice(0, -1);
  const consumer = await makeConsumer(kit, [{ provider: "openai", url }]);
  const form = Buffer.concat([
    Buffer.from('--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n'),
    file,
    Buffer.from("\r\n--b--\r\n"),
  ]);

  const up = await consumer.call("/v1/files", {
    method: "POST",
    headers: { "content-type": "multipart/form-data; boundary=b" },
    body: form,
  });
  const down = await consumer.get("/v1/files/file-1/content");

  expect(await up.json()).toEqual({ id: digest(form) });
  expect(await slowly(down.body)).toBe(digest(file));
}, 60_000);
