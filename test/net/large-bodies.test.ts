/** Large bodies over TLS with a slow peer: every byte arrives in order, and few are buffered. */
import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createAddressCache } from "../../src/net/address-cache.ts";
import { createSend } from "../../src/net/send.ts";
import { UPSTREAM } from "./certificates.ts";
import { ask, listenForRequests, listenRaw } from "./raw-server.ts";

const MiB = 1024 * 1024;
const SIZE = 100 * MiB;
const addresses = createAddressCache({ lookup: async () => ["127.0.0.1"] });
const send = createSend({ addresses, ca: [UPSTREAM.cert] });

/** Generates distinct chunks. */
const piece = (count: number) => Buffer.alloc(64 * 1024, `${count} `);
const digest = () => createHash("sha1");

test("TLS: an upload of 100 MiB never runs far ahead of a slow upstream", async () => {
  const [wanted, got] = [digest(), digest()];
  let made = 0;
  let taken = 0;
  let ahead = 0;
  await using server = await listenRaw((socket) => {
    let started = false;
    socket.on("data", (chunk: Buffer) => {
      const body = started ? chunk : chunk.subarray(chunk.indexOf("\r\n\r\n") + 4);
      started = true;
      got.update(body);
      taken += body.length;
      ahead = Math.max(ahead, made - taken);
      if (taken % 32 === 0) {
        socket.pause();
        setTimeout(() => socket.resume(), 1);
      }
      if (taken === SIZE) socket.write("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
    });
  }, UPSTREAM);
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull(controller) {
        if (made === SIZE) return controller.close();
        const chunk = piece(made);
        wanted.update(chunk);
        made += chunk.length;
        controller.enqueue(chunk);
      },
    },
    { highWaterMark: 0 },
  );

  const url = `https://upstream.test:${server.port}`;
  const reply = await send(ask(url, { method: "POST", body, content_length: SIZE }));

  expect(reply.status).toBe(200);
  expect(got.digest("hex")).toBe(wanted.digest("hex"));
  expect(ahead).toBeLessThan(16 * MiB);
}, 30_000);

test("TLS: a download of 100 MiB never runs far ahead of a slow reader", async () => {
  const [wanted, got] = [digest(), digest()];
  let written = 0;
  await using server = await listenForRequests(async (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${SIZE}\r\n\r\n`);
    while (written < SIZE) {
      const chunk = piece(written);
      wanted.update(chunk);
      written += chunk.length;
      if (!socket.write(chunk)) await once(socket, "drain");
    }
  }, UPSTREAM);

  const reply = await send(ask(`https://upstream.test:${server.port}`));
  let read = 0;
  let ahead = 0;
  for (let chunk = await reply.read(); chunk; chunk = await reply.read()) {
    got.update(chunk);
    read += chunk.length;
    ahead = Math.max(ahead, written - read);
    if (read % 32 === 0) await Bun.sleep(1);
  }

  expect(read).toBe(SIZE);
  expect(got.digest("hex")).toBe(wanted.digest("hex"));
  expect(ahead).toBeLessThan(16 * MiB);
}, 30_000);
