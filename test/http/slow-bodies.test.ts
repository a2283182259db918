/** A request body that does not arrive in time is a 408 on every plane, and its connection is closed. */
import { expect, test } from "bun:test";
import { connect } from "node:net";
import { makeConsumer } from "../kit/dataplane.ts";
import { makeGuard } from "../kit/guard.ts";
import { OWNER_TOKEN, sharedKit } from "../kit/kit.ts";
import { makeMcpStore } from "../kit/mcp-store.ts";
import { until } from "../kit/until.ts";

const IDLE_S = 0.3;
const kit = sharedKit({ settings: { UPLOAD_IDLE_TIMEOUT_S: String(IDLE_S) } });

interface Sent {
  path: string;
  headers?: Record<string, string | undefined>;
  /** Sent after the header block. */
  begin?: string;
  /** Sent every 50 ms from then on. */
  trickle?: string;
}

/** Announces a body and sends only the beginning of it; returns all that came once the server closes the connection. */
async function sendSlowly({ path, headers = {}, begin = "{", trickle = "" }: Sent) {
  const { hostname, port } = new URL((await kit()).url);
  const lines = Object.entries({
    host: "x",
    "content-type": "application/json",
    "content-length": "60000",
    ...headers,
  }).flatMap(([name, value]) => (value === undefined ? [] : `${name}: ${value}\r\n`));
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let got = "";
  const socket = connect({ host: hostname, port: Number(port) }, () =>
    socket.write(`POST ${path} HTTP/1.1\r\n${lines.join("")}\r\n${begin}`),
  );
  const drip = setInterval(() => trickle && socket.write(trickle), 50);
  const stop = setTimeout(() => reject(new Error(`The connection stays open: ${got}`)), 10_000);
  socket.on("data", (chunk) => {
    got += chunk;
  });
  socket.on("error", () => {});
  socket.on("close", () => resolve(got));
  try {
    return await promise;
  } finally {
    clearInterval(drip);
    clearTimeout(stop);
    socket.destroy();
  }
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const owner = bearer(OWNER_TOKEN);

const PATHS: [string, () => Sent | Promise<Sent>][] = [
  ["the admin API", () => ({ path: "/v1/gateways", headers: owner })],
  ["the sign-in", () => ({ path: "/v1/session" })],
  ["the token endpoint", () => ({ path: "/v1/token" })],
  [
    "the connect page",
    () => ({
      path: `/me/connect/${crypto.randomUUID()}`,
      headers: { "content-type": "application/x-www-form-urlencoded" },
      begin: "token=",
    }),
  ],
  [
    "an evaluation",
    async () => ({
      path: "/v1/evaluate",
      headers: bearer((await makeGuard(await kit(), {})).key),
    }),
  ],
  [
    "the MCP endpoint",
    async () => ({
      path: "/me/mcp",
      headers: bearer(await (await makeMcpStore(await kit())).token("ana")),
    }),
  ],
  [
    "the data plane",
    async () => {
      const { slug, key } = await makeConsumer(await kit(), [{ provider: "demo", url: "" }]);
      return { path: `/${slug}/v1/chat/completions`, headers: { "x-ag-api-key": key } };
    },
  ],
];

test.concurrent.each(PATHS)(
  "%s returns 408 for a body that stalls or trickles, and closes the connection",
  async (_, sent) => {
    const given = await sent();
    const unannounced = { "content-length": undefined, "transfer-encoding": "chunked" };
    const chunked = {
      ...given,
      headers: { ...given.headers, ...unannounced },
      begin: "1\r\n{\r\n",
    };
    const replies = await Promise.all([
      sendSlowly(given),
      sendSlowly({ ...given, trickle: " " }),
      sendSlowly(chunked),
    ]);

    for (const reply of replies) {
      expect(reply).toStartWith("HTTP/1.1 408");
      expect(reply.toLowerCase()).toContain("\r\nconnection: close\r\n");
    }
  },
);

const TOO_LARGE = { "content-length": String(1024 * 1024 * 1024) };

test.concurrent.each<[string, string, () => Sent | Promise<Sent>]>([
  ["401", "the admin API", () => ({ path: "/v1/gateways" })],
  ["413", "the admin API", () => ({ path: "/v1/gateways", headers: { ...owner, ...TOO_LARGE } })],
  ["413", "the sign-in", () => ({ path: "/v1/session", headers: TOO_LARGE })],
  ["401", "an evaluation", () => ({ path: "/v1/evaluate" })],
  ["401", "the MCP endpoint", () => ({ path: "/me/mcp" })],
  ["404", "an unknown path", () => ({ path: "/v1/unknown" })],
  [
    "401",
    "the data plane",
    async () => {
      const { slug } = await makeConsumer(await kit(), [{ provider: "demo", url: "" }]);
      return { path: `/${slug}/v1/chat/completions` };
    },
  ],
])(
  "a %s of %s before the body has arrived closes the connection later",
  async (status, _, sent) => {
    const given = await sent();

    const replies = await Promise.all([sendSlowly(given), sendSlowly({ ...given, trickle: " " })]);

    for (const reply of replies) {
      expect(reply).toStartWith(`HTTP/1.1 ${status}`);
      // A client that is still sending would not read the response.
      expect(reply.toLowerCase()).not.toContain("\r\nconnection: close\r\n");
    }
  },
);

test.concurrent("a connection with an early error stays open for the next request", async () => {
  const { hostname, port } = new URL((await kit()).url);
  const stalled = `POST /v1/gateways HTTP/1.1\r\nHost: x\r\nAuthorization: ${owner.authorization}\r\n`;
  const sendBoth = async () => {
    const socket = connect(Number(port), hostname);
    let got = "";
    socket.on("data", (chunk) => {
      got += chunk;
    });
    socket.write("POST /v1/gateways HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}");
    await until(() => got.includes(" 401 "));
    socket.write(`${stalled}Content-Length: 9\r\n\r\n{`);
    await until(() => got.includes(" 408 ") || socket.closed);
    socket.destroy();
    return got;
  };

  // A busy machine may send the second request after the second in which the connection stays open.
  let got = await sendBoth();
  for (let round = 0; round < 5 && !got.includes(" 408 "); round++) got = await sendBoth();

  expect(got).toContain(" 408 ");
}, 30_000);

test.concurrent("a body that is never idle still has a deadline", async () => {
  const headers = { ...owner, "content-length": "2000000" };

  const reply = await sendSlowly({ path: "/v1/gateways", headers, trickle: " ".repeat(1100) });

  expect(reply).toStartWith("HTTP/1.1 408");
});

test.concurrent("a multipart body, which has no deadline, must not trickle either", async () => {
  const { slug, key } = await makeConsumer(await kit(), [{ provider: "demo", url: "" }]);
  const reply = await sendSlowly({
    path: `/${slug}/v1/images/edits`,
    headers: { "x-ag-api-key": key, "content-type": "multipart/form-data; boundary=b" },
    begin: '--b\r\nContent-Disposition: form-data; name="prompt"\r\n\r\n',
    trickle: "a",
  });

  expect(reply).toStartWith("HTTP/1.1 408");
});

test("a body that arrives slowly but steadily is read", async () => {
  const body = `{"name": "slow ${crypto.randomUUID()}"${" ".repeat(10_000)}}`;
  const parts = Array.from({ length: 10 }, (_, at) => body.slice(at * 1010, (at + 1) * 1010));
  const stream = new ReadableStream({
    async pull(controller) {
      await Bun.sleep(60);
      const part = parts.shift();
      if (part) controller.enqueue(new TextEncoder().encode(part));
      else controller.close();
    },
  });

  const reply = await fetch(`${(await kit()).url}/v1/gateways`, {
    method: "POST",
    headers: owner,
    body: stream,
  });

  expect(reply.status).toBe(201);
});
