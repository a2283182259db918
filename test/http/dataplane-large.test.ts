/** Large bodies pass byte for byte in both directions, whichever side is slow: no buffer is reused before it is sent. */
import { expect, test } from "bun:test";
import { makeConsumer } from "../kit/dataplane.ts";
import { startKit } from "../kit/kit.ts";
import { readPeakMiB } from "../kit/peak-memory.ts";
import { startProgram } from "../kit/program.ts";
import { startUpstream } from "../kit/upstream.ts";

const MIB = 1024 * 1024;
const SIZE = 48 * MIB;

/** Generates bytes without repetition. */
function noise(): Uint8Array<ArrayBuffer> {
  const words = new Uint32Array(SIZE / 4);
  for (let i = 0, state = 1; i < words.length; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    words[i] = state;
  }
  return new Uint8Array(words.buffer);
}

const digest = (bytes: Uint8Array) => Bun.SHA256.hash(bytes, "hex");

/** Reads the whole body, with pauses. */
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

test("a large file is uploaded and downloaded unchanged, at the pace of the slower side", async () => {
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

test("a picture of 12 MB inside a JSON body arrives unchanged", async () => {
  await using kit = await startKit();
  await using upstream = startUpstream();
  const consumer = await makeConsumer(kit, [{ provider: "openai", url: upstream.url }]);
  const url = `data:image/png;base64,${"A".repeat(12_000_000)}`;
  const content = [{ type: "image_url", image_url: { url } }];
  const body = JSON.stringify({ model: "m", messages: [{ role: "user", content }] });

  const reply = await consumer.post("/v1/chat/completions", body);

  expect(reply.status).toBe(200);
  expect(upstream.hits[0]?.body.equals(Buffer.from(body))).toBe(true);
});

// Only Linux reports the peak memory of a process.
test.if(process.platform === "linux")(
  "an upload of 400 MB needs little memory",
  async () => {
    await using upstream = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      maxRequestBodySize: 1024 * MIB,
      fetch: async ({ body }) => {
        let bytes = 0;
        for await (const chunk of body ?? []) bytes += chunk.length;
        return Response.json({ id: `file-${bytes}` });
      },
    });
    await using program = await startProgram();
    const make = async (path: string, body: object) =>
      (await (await program.admin("POST", path, body)).json()) as Record<string, string>;
    const base = `/v1/gateways/${(await make("/v1/gateways", { name: "g" })).id}`;
    const registry = await make(`${base}/registries`, {
      name: "r",
      provider: "openai",
      provider_options: { base_url: String(upstream.url).slice(0, -1) },
      auth: { type: "api_key", api_key: "sk-0123456789" },
      allow_private: true,
    });
    const consumer = await make(`${base}/consumers`, {
      name: "c",
      registries: [{ id: registry.id }],
    });
    const { key = "" } = await make(`${base}/consumers/${consumer.id}/keys`, { name: "k" });
    const head = '--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n';
    const before = readPeakMiB(program.child.pid);

    const reply = await fetch(`${program.url}/${consumer.slug}/v1/files`, {
      method: "POST",
      headers: { "x-ag-api-key": key, "content-type": "multipart/form-data; boundary=b" },
      body: new Blob([
        head,
        ...Array<Uint8Array<ArrayBuffer>>(400).fill(new Uint8Array(MIB)),
        "\r\n--b--\r\n",
      ]).stream(),
    });

    expect(await reply.json()).toEqual({ id: `file-${400 * MIB + head.length + 9}` });
    expect(readPeakMiB(program.child.pid) - before).toBeWithin(0.01, 64);
  },
  60_000,
);
