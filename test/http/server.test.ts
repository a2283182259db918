/** The process: planes, health, ids, headers and shutdown. */
import { expect, test } from "bun:test";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { connect } from "node:net";
import { OWNER_TOKEN, sharedKit, startKit } from "../kit/kit.ts";
import { startProgram } from "../kit/program.ts";
import { until } from "../kit/until.ts";

const started = sharedKit();

test("health and readiness need no token", async () => {
  const kit = await started();

  const [health, ready] = await Promise.all([
    fetch(`${kit.url}/healthz`),
    fetch(`${kit.url}/readyz`),
  ]);

  expect(await health.json()).toEqual({ status: "ok" });
  expect(await ready.json()).toEqual({ status: "ready", revision: expect.any(Number) });
});

test.each([
  ["HTTP/1.0", "GET /v1/gateways HTTP/1.0\r\n", " 401 "],
  ["a host that is none", "GET /v1/gateways?x=1 HTTP/1.1\r\nHost: [::\r\n", " 401 "],
  ["a path of slashes for a host that is none", "GET // HTTP/1.1\r\nHost: [::1\r\n", " 404 "],
  ["a path that is no URL for an empty host", "GET //[/console HTTP/1.1\r\nHost:\r\n", " 404 "],
  ["a page of no host", "GET /console HTTP/1.0\r\n", " 200 "],
  ["an MCP endpoint of no host", "POST /me/mcp HTTP/1.0\r\nContent-Length: 0\r\n", " 401 "],
  ["the data plane of no host", "GET /unknown/v1/models HTTP/1.0\r\n", "Unknown consumer"],
  [
    "the data plane of an empty host",
    "GET /unknown/v1/models HTTP/1.1\r\nHost:\r\n",
    "Unknown consumer",
  ],
  ["a catalog of no host", "GET /v0.1/servers HTTP/1.0\r\n", " 401 "],
])("%s is handled like any other request", async (_, head, expected) => {
  const kit = await started();

  expect(await sendRaw(kit.url, `${head}\r\n`)).toContain(expected);
});

test.each([
  ["the admin plane", "GET /v1/gateways HTTP/1.1"],
  ["the data plane", "GET /unknown/v1/models HTTP/1.1"],
  ["the MCP endpoint", "GET /me/mcp HTTP/1.1"],
])("two Host headers are a 400 on %s (RFC 9112 3.2)", async (_, line) => {
  const kit = await started();

  for (const [one, other] of [
    ["a.example", "b.example"],
    ["a.example", "a.example"],
    ["", "a.example"],
  ]) {
    const reply = await sendRaw(kit.url, `${line}\r\nHost: ${one}\r\nHost: ${other}\r\n\r\n`);
    expect(reply).toStartWith("HTTP/1.1 400 ");
    expect(reply).toContain("Host");
  }
});

test("a client that disconnects during its upload is not logged as an error", async () => {
  const kit = await started();
  const { hostname, port } = new URL(kit.url);
  const head = `POST /v1/gateways HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${OWNER_TOKEN}\r\n`;
  const socket = connect(Number(port), hostname);
  const before = kit.lines.length;

  socket.write(`${head}Content-Length: 100\r\n\r\n{`, () => setTimeout(() => socket.destroy(), 50));

  const logged = () => kit.lines.slice(before).filter((line) => line.includes('"POST"'));
  await until(() => logged().length > 0);
  expect(logged()[0]).toContain('"client_closed"');
});

/** Header blocks that browsers do not send. */
async function sendRaw(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(text);
  const [first] = await once(socket, "data");
  socket.destroy();
  return String(first);
}

test("every response has a unique trace id and request id", async () => {
  const kit = await started();
  const ids = async () => {
    const { headers } = await kit.get("/v1/gateways");
    return [headers.get("x-ag-trace-id"), headers.get("x-request-id")];
  };

  const [one, other] = [await ids(), await ids()];

  expect(one[0]).toMatch(/^[0-9a-f]{32}$/);
  expect(new Set([...one, ...other]).size).toBe(4);
});

test("a traceparent is continued in the response and the log", async () => {
  const kit = await started();
  const trace = "4bf92f3577b34da6a3ce929d0e0e4736";

  const reply = await kit.call("GET", "/v1/nothing", undefined, {
    traceparent: `00-${trace}-00f067aa0ba902b7-01`,
  });

  expect(reply.headers.get("x-ag-trace-id")).toBe(trace);
  expect(kit.lines.join("")).toContain(trace);
});

test.each([["00-0000"], [`00-${"0".repeat(32)}-00f067aa0ba902b7-01`], ["ff-x"]])(
  "the malformed traceparent %s is ignored",
  async (traceparent) => {
    const kit = await started();

    const reply = await kit.call("GET", "/v1/gateways", undefined, { traceparent });

    expect(reply.headers.get("x-ag-trace-id")).toMatch(/^(?!0{32})[0-9a-f]{32}$/);
  },
);

test("responses and errors have security headers", async () => {
  const kit = await started();

  const replies = await Promise.all([
    kit.get("/v1/gateways"),
    kit.get("/v1/nothing"),
    fetch(`${kit.url}/docs`),
  ]);

  for (const { headers } of replies) {
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("cache-control")).toBe("no-store");
  }
});

test("every guide is served, and its links lead to pages that exist", async () => {
  const kit = await started();
  const seen = new Map<string, number>();
  const visit = async (url: string): Promise<void> => {
    if (seen.has(url)) return;
    seen.set(url, 0);
    const response = await fetch(url);
    seen.set(url, response.status);
    if (!url.includes("/docs/")) return;
    const links = [...(await response.text()).matchAll(/<a [^>]*?href="([^"#]+)/g)];
    const targets = links.map(([, href = ""]) => new URL(href, url).href);
    await Promise.all(targets.filter((target) => target.startsWith(`${kit.url}/docs`)).map(visit));
  };
  await visit(`${kit.url}/docs/guides/first-steps`);

  expect([...seen].filter(([, status]) => status !== 200)).toEqual([]);
  const guides = readdirSync("docs/guides").map((name) => name.replace(".md", ""));
  const missing = guides.filter((name) => !seen.has(`${kit.url}/docs/guides/${name}`));
  expect(missing).toEqual([]);
});

test("planes split over addresses serve only their own paths", async () => {
  await using kit = await startKit({
    settings: { PORTCULLIS_LISTEN_GATEWAY: "localhost:0", PORTCULLIS_PLANES: "admin,gateway" },
  });
  const [admin, gateway] = [kit.urls.admin, kit.urls.gateway];

  const onAdmin = await kit.get("/v1/gateways");
  const onGateway = await fetch(`${gateway}/v1/gateways`);

  expect(admin).not.toBe(gateway);
  expect([onAdmin.status, onGateway.status]).toEqual([200, 404]);
  expect((await fetch(`${gateway}/readyz`)).status).toBe(200);
});

test.each([
  ["0.0.0.0:0", "http://127.0.0.1:"],
  ["[::]:0", "http://[::1]:"],
])("a server that listens on %s prints a reachable address", async (address, logged) => {
  await using kit = await startKit({ settings: { PORTCULLIS_LISTEN: address } });

  expect(kit.urls.admin).toStartWith(logged);
  expect((await fetch(`${kit.urls.admin}/healthz`)).status).toBe(200);
});

test("an omitted plane is not served", async () => {
  await using kit = await startKit({ settings: { PORTCULLIS_PLANES: "gateway" } });

  expect((await kit.get("/v1/gateways")).status).toBe(404);
  expect((await fetch(`${kit.url}/docs`)).status).toBe(404);
});

test("SIGTERM: not ready during the grace period, a running request completes, exit code 0", async () => {
  const program = await startProgram({ settings: { SHUTDOWN_GRACE_S: "3" } });
  const rest = Promise.withResolvers<void>();
  const slow = new ReadableStream({
    async start(controller) {
      controller.enqueue(new TextEncoder().encode('{"name": "slow'));
      await rest.promise;
      controller.enqueue(new TextEncoder().encode('ly sent"}'));
      controller.close();
    },
  });
  const running = fetch(`${program.url}/v1/gateways`, {
    method: "POST",
    headers: { authorization: "Bearer pa_test-owner-token-0123456789abcdef" },
    body: slow,
  });
  await Bun.sleep(100);

  program.child.kill("SIGTERM");
  await until(async () => (await fetch(`${program.url}/readyz`)).status === 503);
  rest.resolve();
  const finished = await running;

  expect(finished.status).toBe(201);
  expect(await program.child.exited).toBe(0);
  await program[Symbol.asyncDispose]();
});

test("a port in use is reported in one line, exit code 1", async () => {
  await using program = await startProgram();
  const { runProgram } = await import("../kit/program.ts");

  const second = await runProgram(["start", "--listen", new URL(program.url).host]);

  expect(second.code).toBe(1);
  expect(second.err).toContain("another program uses this port");
  expect(second.err).not.toContain("    at ");
});

test("a node whose keys do not match the database stops before it writes", async () => {
  await using first = await startKit();

  const second = startKit({ database_url: first.database_url });

  expect(second).rejects.toMatchObject({
    code: "bad_settings",
    message: expect.stringContaining("PORTCULLIS_KEYS"),
  });
  await second.catch(() => {});
});
