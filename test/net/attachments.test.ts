import { afterAll, expect, test } from "bun:test";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { type AddressCache, createAddressCache } from "../../src/net/address-cache.ts";
import { ATTACHMENT_LIMITS, fetchAttachment } from "../../src/net/fetch-attachment.ts";
import { createSend } from "../../src/net/send.ts";
import { until } from "../kit/until.ts";
import { OTHER, UPSTREAM } from "./certificates.ts";

const KiB = 1024;
const LIMITS = { total_ms: 1500, bytes: 64 * KiB, redirects: 3 };

const requested: string[] = [];
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  tls: [UPSTREAM, OTHER],
  fetch(request) {
    const { pathname, searchParams } = new URL(request.url);
    requested.push(pathname);
    if (pathname === "/to") return redirect(searchParams.get("url") ?? "");
    return ANSWERS[pathname]?.(request) ?? new Response("", { status: 404 });
  },
});
afterAll(() => server.stop(true));

const redirect = (location: string, status = 302) =>
  new Response("", { status, headers: { location } });
const encoded = (body: Uint8Array<ArrayBuffer>, encoding: string) =>
  new Response(body, { headers: { "content-encoding": encoding } });

let endless = { chunks: 0, cancelled: false };

const ANSWERS: Record<string, (request: Request) => Response | Promise<Response>> = {
  "/note": () => new Response("hello", { headers: { "content-type": "text/plain" } }),
  "/headers": ({ headers }) => Response.json(Object.fromEntries(headers)),
  "/one": () => redirect("/two"),
  "/two": () => redirect("//other.test:PORT/three".replace("PORT", String(server.port)), 307),
  "/three": () => redirect("note?x=1#part", 308),
  "/loop": () => redirect("/loop"),
  "/nowhere": () => new Response("", { status: 302 }),
  "/full": () => new Response(new Uint8Array(LIMITS.bytes)),
  "/fat": () => new Response(new Uint8Array(LIMITS.bytes + 1)),
  "/endless": () => {
    endless = { chunks: 0, cancelled: false };
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      async pull(controller) {
        endless.chunks++;
        await Bun.sleep(1);
        controller.enqueue(new Uint8Array(16 * KiB));
      },
      cancel: () => {
        endless.cancelled = true;
      },
    });
    return new Response(body);
  },
  "/silent": async () => {
    await Bun.sleep(4000);
    return new Response("late");
  },
  "/trickle": () => {
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      async pull(controller) {
        await Bun.sleep(100);
        controller.enqueue(new Uint8Array(1));
      },
    });
    return new Response(body);
  },
  "/gzip": () => encoded(gzipSync("zipped"), "gzip"),
  "/deflate": () => encoded(deflateSync("zipped"), "deflate"),
  "/br": () => encoded(brotliCompressSync("zipped"), "br"),
  "/bomb": () => encoded(gzipSync(new Uint8Array(50 * KiB * KiB)), "gzip"),
  "/false-gzip": () => encoded(new TextEncoder().encode("plain"), "gzip"),
  "/twice": () => encoded(gzipSync(gzipSync("zipped")), "gzip, gzip"),
};

/** The names of this test; two of them resolve to our server. */
const LET_THROUGH = ["upstream.test", "other.test"];
const hosts: Record<string, string[]> = {
  "inside.test": ["127.0.0.1"],
  "rebound.test": ["10.0.0.7", "::1"],
};
const guarded = createAddressCache({ lookup: async (name) => hosts[name] ?? [] });
const addresses: AddressCache = {
  ...guarded,
  find: (target) => (LET_THROUGH.includes(target.hostname) ? ["127.0.0.1"] : guarded.find(target)),
};
const send = createSend({ addresses, ca: [UPSTREAM.cert, OTHER.cert] });
const at = (path: string, host = "upstream.test") => `https://${host}:${server.port}${path}`;
const get = (url: string) => fetchAttachment(send, url, LIMITS);
const text = async (url: string) => Buffer.from((await get(url)).bytes).toString();

test("an attachment is limited to 20 MiB, 10 s and 3 redirects", () => {
  expect(ATTACHMENT_LIMITS).toEqual({ total_ms: 10_000, bytes: 20 * 2 ** 20, redirects: 3 });
});

test("4.3.5 an attachment has the content type of its server", async () => {
  const { bytes, content_type } = await get(at("/note"));

  expect(Buffer.from(bytes).toString()).toBe("hello");
  expect(content_type).toBe("text/plain");
});

test("4.3.5 the request reveals nothing about the caller and disables compression", async () => {
  expect(JSON.parse(await text(at("/headers")))).toEqual({
    accept: "*/*",
    "accept-encoding": "identity",
    host: `upstream.test:${server.port}`,
    "user-agent": "portcullis",
  });
});

test("4.3.5 three redirects are followed, including relative ones and other hosts", async () => {
  expect(await text(at("/one"))).toBe("hello");
});

test("4.3.5 a fourth redirect is rejected", async () => {
  requested.length = 0;

  await expect(get(at("/loop"))).rejects.toMatchObject({
    code: "upstream_failed",
    message: "The attachment's URL redirects more than 3 times.",
  });
  expect(requested).toEqual(["/loop", "/loop", "/loop", "/loop"]);
});

test.each([
  ["https://127.0.0.1:PORT/note", "upstream_address_refused"],
  ["https://[::1]:PORT/note", "upstream_address_refused"],
  ["https://169.254.169.254/latest/meta-data/", "upstream_address_refused"],
  ["https://0x7f.1:PORT/note", "upstream_address_refused"],
  ["//inside.test:PORT/note", "upstream_address_refused"],
  ["https://rebound.test:PORT/note", "upstream_address_refused"],
  ["https://localhost:PORT/note", "upstream_address_refused"],
  ["http://upstream.test:PORT/note", "invalid_request"],
  ["https://user:word@upstream.test:PORT/note", "invalid_request"],
  ["https://upstream.test:25/", "invalid_request"],
  ["file:///etc/passwd", "invalid_request"],
  ["https://", "invalid_request"],
])("4.3.5 each redirect is checked: %s is rejected", async (location, code) => {
  const target = location.replace("PORT", String(server.port));
  requested.length = 0;

  const refused = get(at(`/to?url=${encodeURIComponent(target)}`));

  await expect(refused).rejects.toMatchObject({ code });
  expect(requested).toEqual(["/to"]);
});

test("4.3.5 a URL of more than 8192 characters is rejected, also in a redirect", async () => {
  const withLength = (length: number) => at("/note?").padEnd(length, "x");
  const tooLong = withLength(8193);

  expect(await text(withLength(8192))).toBe("hello");
  for (const url of [tooLong, at(`/to?url=${encodeURIComponent(tooLong)}`)]) {
    await expect(get(url)).rejects.toMatchObject({
      code: "invalid_request",
      message: "The attachment's URL is longer than 8192 characters. Use a shorter one.",
    });
  }
});

test("4.3.5 a name that resolves to a private address is rejected before anything is sent", async () => {
  requested.length = 0;

  await expect(get(at("/note", "inside.test"))).rejects.toMatchObject({
    code: "upstream_address_refused",
    message: "The attachment's address is not public.",
  });
  expect(requested).toEqual([]);
});

test.each(["/silent", "/trickle"])("4.3.5 %s ends at the deadline", async (path) => {
  const started = performance.now();

  await expect(get(at(path))).rejects.toMatchObject({
    code: "upstream_timeout",
    message: "The attachment took too long to arrive.",
  });
  expect(performance.now() - started).toBeWithin(1400, 3800);
});

test("4.3.5 an unresponsive name server ends at the same deadline", async () => {
  const never = createAddressCache({ lookup: () => new Promise(() => {}) });
  const waiting = fetchAttachment(createSend({ addresses: never }), "https://slow.test/", {
    ...LIMITS,
    total_ms: 200,
  });

  await expect(waiting).rejects.toMatchObject({ code: "upstream_timeout" });
});

test("4.3.5 an attachment of the maximum size is accepted, one byte more is not", async () => {
  expect((await get(at("/full"))).bytes).toHaveLength(LIMITS.bytes);
  await expect(get(at("/fat"))).rejects.toMatchObject({
    code: "too_large",
    message: "The attachment is larger than 65536 bytes.",
  });
});

test("4.3.5 an endless response without a length is stopped at the cap", async () => {
  await expect(get(at("/endless"))).rejects.toMatchObject({ code: "too_large" });
  await until(() => endless.cancelled);

  expect(endless.chunks).toBeLessThan(50);
});

test.each(["/gzip", "/deflate", "/br"])(
  "a response that is compressed anyway is decompressed: %s",
  async (path) => {
    expect(await text(at(path))).toBe("zipped");
  },
);

test.each([
  ["/bomb", "too_large", "The attachment is larger than 65536 bytes."],
  ["/false-gzip", "upstream_failed", "The attachment cannot be decompressed."],
  ["/twice", "upstream_failed", "The attachment has an unsupported content encoding."],
  ["/missing", "upstream_failed", "The attachment's server returned 404."],
  ["/nowhere", "upstream_failed", "The attachment's server returned 302."],
])("4.3.5 %s is rejected as %s: %s", async (path, code, message) => {
  await expect(get(at(path))).rejects.toMatchObject({ code, message });
});

test("no message contains the URL, which may contain a signature", async () => {
  const failed = get(at("/missing?signature=s3cret")).catch((error: Error) => error.message);

  expect(await failed).toBe("The attachment's server returned 404.");
});

test("TLS: an untrusted certificate is rejected", async () => {
  const strict = createSend({ addresses });

  await expect(fetchAttachment(strict, at("/note"), LIMITS)).rejects.toMatchObject({
    code: "upstream_unreachable",
    message: "The attachment's server could not be reached.",
  });
});
