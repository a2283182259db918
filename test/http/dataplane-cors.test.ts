/** CORS per consumer: only pages of the listed origins may call it, and none by default. */
import { expect, test } from "bun:test";
import { makeConsumer } from "../kit/dataplane.ts";
import { sharedKit } from "../kit/kit.ts";
import { startUpstream } from "../kit/upstream.ts";

const kit = sharedKit();
const CHAT = "/v1/chat/completions";
const ORIGIN = "https://app.example.com";
const OTHER = "https://evil.example.com";

const setUp = (() => {
  let made: ReturnType<typeof make> | undefined;
  const make = async () => {
    const upstream = startUpstream();
    const attach = [{ provider: "openai", url: upstream.url }];
    const cors = { origins: [ORIGIN, "http://localhost:5173"] };
    return {
      upstream,
      open: await makeConsumer(await kit(), attach, { cors }),
      closed: await makeConsumer(await kit(), attach),
    };
  };
  return () => {
    made ??= make();
    return made;
  };
})();

/** Sends a preflight like a browser, without a key. */
const preflight = (url: string, origin: string, path = CHAT, method = "POST") =>
  fetch(`${url}${path}`, {
    method: "OPTIONS",
    headers: {
      origin,
      "access-control-request-method": method,
      "access-control-request-headers": "authorization,content-type,x-stainless-os",
    },
  });

const corsOf = ({ headers }: Response) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith("access-control-")));

test.each([ORIGIN, "http://localhost:5173"])("a preflight from %s needs no key", async (origin) => {
  const { open, upstream } = await setUp();
  const before = upstream.hits.length;

  const reply = await preflight(open.url, origin);

  expect(reply.status).toBe(204);
  expect(corsOf(reply)).toEqual({
    "access-control-allow-origin": origin,
    "access-control-allow-methods": "POST",
    "access-control-allow-headers": "authorization,content-type,x-stainless-os",
    "access-control-expose-headers": "*",
    "access-control-max-age": "600",
  });
  expect(reply.headers.get("vary")).toBe("Origin");
  expect(upstream.hits.length).toBe(before);
});

test("a preflight names the methods of its path", async () => {
  const { open } = await setUp();

  const reply = await preflight(open.url, ORIGIN, "/v1/files/file-1", "DELETE");

  expect(reply.headers.get("access-control-allow-methods")).toBe("GET, DELETE");
});

test.each([
  "https://evil.example.com",
  "https://app.example.com.evil.com",
  "http://app.example.com",
  "https://app.example.com:8443",
  "null",
  "*",
])("the origin %s gets no CORS headers", async (origin) => {
  const { open } = await setUp();

  const preflightReply = await preflight(open.url, origin);
  const sent = await open.post(CHAT, { model: "m" }, { origin });

  expect([preflightReply.status, corsOf(preflightReply)]).toEqual([401, {}]);
  expect([sent.status, corsOf(sent)]).toEqual([200, {}]);
  // A cache must not serve this response to a page of a listed origin.
  expect([preflightReply, sent].map(({ headers }) => headers.get("vary"))).toEqual([
    "Origin",
    "Origin",
  ]);
});

test("a consumer without origins sends no CORS headers", async () => {
  const { closed } = await setUp();

  const preflightReply = await preflight(closed.url, ORIGIN);
  const sent = await closed.post(CHAT, { model: "m" }, { origin: ORIGIN });

  expect([preflightReply.status, corsOf(preflightReply)]).toEqual([401, {}]);
  expect([sent.status, corsOf(sent), sent.headers.get("vary")]).toEqual([200, {}, null]);
});

test("a page of a listed origin can read the response and its headers", async () => {
  const { open } = await setUp();

  const reply = await open.post(CHAT, { model: "m" }, { origin: ORIGIN });

  expect(corsOf(reply)).toEqual({
    "access-control-allow-origin": ORIGIN,
    "access-control-expose-headers": "*",
  });
  expect(reply.headers.get("vary")).toBe("Origin");
});

test("a page of a listed origin can read errors", async () => {
  const { open, upstream } = await setUp();
  upstream.script({ status: 500, body: { error: "theirs" } });
  const headers = { origin: ORIGIN };

  const replies = [
    await fetch(`${open.url}${CHAT}`, { method: "POST", headers, body: "{}" }),
    await open.post(CHAT, "not JSON", headers),
    await open.post(CHAT, { model: "m" }, headers),
  ];
  upstream.script({ body: {} });

  expect(replies.map(({ status }) => status)).toEqual([401, 400, 500]);
  for (const reply of replies) {
    expect(reply.headers.get("access-control-allow-origin")).toBe(ORIGIN);
  }
});

test("an unknown path or consumer is a 404, also for a preflight", async () => {
  const { open } = await setUp();

  expect((await preflight(open.url, ORIGIN, "/v1/nothing")).status).toBe(404);
  expect((await preflight(`${(await kit()).url}/no-such-consumer`, ORIGIN)).status).toBe(404);
});

test("an inactive consumer allows no preflight", async () => {
  const { upstream } = await setUp();
  const attach = [{ provider: "openai", url: upstream.url }];
  const more = { cors: { origins: [ORIGIN] }, active: false };
  const inactive = await makeConsumer(await kit(), attach, more);

  expect((await preflight(inactive.url, ORIGIN)).status).toBe(404);
});

test("requested headers with invalid names are not returned", async () => {
  const { open } = await setUp();

  const reply = await fetch(`${open.url}${CHAT}`, {
    method: "OPTIONS",
    headers: {
      origin: ORIGIN,
      "access-control-request-method": "POST",
      "access-control-request-headers": "a b;<c>",
    },
  });

  expect(reply.headers.get("access-control-allow-headers")).toBeNull();
});

test.each([
  ["*", "cors.origins[0]"],
  ["null", "cors.origins[0]"],
  ["app.example.com", "cors.origins[0]"],
  ["https://app.example.com/", "cors.origins[0]"],
  ["https://App.example.com", "cors.origins[0]"],
  ["https://app.example.com:443", "cors.origins[0]"],
  ["https://user@app.example.com", "cors.origins[0]"],
  ["ftp://app.example.com", "cors.origins[0]"],
  ["https://*.example.com", "cors.origins[0]"],
])("the origin %s is rejected when it is saved", async (origin, field) => {
  const { open } = await setUp();

  const reply = await (await kit()).call("PUT", open.path, { cors: { origins: [origin] } });

  expect(reply.status).toBe(422);
  expect(await reply.text()).toContain(field);
});

test("a change of the origins takes effect at once", async () => {
  const { closed } = await setUp();
  const node = await kit();

  const put = await node.call("PUT", closed.path, { cors: { origins: [OTHER] } });
  const preflightReply = await preflight(closed.url, OTHER);
  await node.call("PUT", closed.path, { cors: { origins: [] } });
  const later = await preflight(closed.url, OTHER);

  expect(((await put.json()) as { cors: object }).cors).toEqual({ origins: [OTHER] });
  expect([preflightReply.status, later.status]).toEqual([204, 401]);
});
