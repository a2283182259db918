/** JSON bodies that arrive together are parsed one by one, with other requests between them. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect } from "node:net";
import { makeConsumer } from "../kit/dataplane.ts";
import { makeDetector, makeGuard } from "../kit/guard.ts";
import { makeGuardedConsumer } from "../kit/inline-guard.ts";
import { OWNER_TOKEN } from "../kit/kit.ts";
import { post } from "../kit/mcp-client.ts";
import { startMcpServer } from "../kit/mcp-server.ts";
import { makeMcpStore } from "../kit/mcp-store.ts";
import { measureWait } from "../kit/measure-wait.ts";
import { readPeakMiB } from "../kit/peak-memory.ts";
import { type Program, startProgram } from "../kit/program.ts";
import { until } from "../kit/until.ts";
import { startUpstream } from "../kit/upstream.ts";

/** A process of its own, so that sending the bodies takes no time of the server. Tests of memory start another one. */
let shared: Program;
beforeAll(async () => {
  shared = await startProgram();
});
afterAll(async () => await shared[Symbol.asyncDispose]());

const sendMany = (count: number, send: () => Promise<unknown>) =>
  Promise.all(Array.from({ length: count }, send));

/** Returns the longest wait of another client as a share of the work. */
async function waitDuring(count: number, send: () => Promise<unknown>): Promise<number> {
  const { longest, total } = await measureWait(shared, () => sendMany(count, send));
  return longest / total;
}

/** Sends a request, and closes the connection 2 ms later. */
const postAndLeave = (program: Program, path: string, body: string, headers = "host: x\r\n") =>
  new Promise<void>((resolve) => {
    const socket = connect(Number(new URL(program.url).port), "127.0.0.1", () => {
      const length = `content-length: ${body.length}\r\n\r\n`;
      socket.write(`POST ${path} HTTP/1.1\r\n${headers}${length}${body}`, () =>
        setTimeout(() => socket.destroy(), 2),
      );
    });
    socket.on("error", () => {}).on("close", () => resolve());
  });

test("bodies of many names do not block others, on the data plane", async () => {
  await using upstream = startUpstream();
  const registry = { provider: "openai", url: `${upstream.url}/v1` };
  const consumer = await makeConsumer(shared, [registry], { files_scope: "own" });
  const names = Array.from({ length: 49_000 }, (_, index) => `"n${index}":1`);
  const body = `{"model":"m","input":[{${names.join(",")}}],"tools":[{"file_ids":[]}]}`;

  const share = await waitDuring(8, async () => {
    const reply = await consumer.post("/v1/responses", body);
    expect(reply.status).toBe(200);
    await reply.arrayBuffer();
  });

  expect(share).toBeLessThan(0.5);
}, 120_000);

test("200 bodies of less than 64 KiB do not block others, on the data plane", async () => {
  await using upstream = startUpstream();
  const registry = { provider: "openai", url: `${upstream.url}/v1`, models: { allowed: ["m"] } };
  const consumer = await makeConsumer(shared, [registry], { files_scope: "own" });
  const items = Array(4_500).fill('{"\\u0061":1}');
  const body = `{"model":"m","input":[${items.join(",")}],"tools":[{"file_ids":[]}]}`;

  const share = await waitDuring(200, async () => {
    const reply = await consumer.post("/v1/responses", body);
    expect(reply.status).toBe(200);
    await reply.arrayBuffer();
  });

  expect(share).toBeLessThan(0.5);
}, 120_000);

test("bodies of many names do not block others, on the admin API", async () => {
  const names = Array.from({ length: 49_000 }, (_, index) => `"n${index}":1`);
  const body = `{"name":"x","y":{${names.join(",")}}}`;

  const share = await waitDuring(16, async () => {
    const reply = await shared.call("POST", "/v1/gateways", body);
    expect(reply.status).toBe(422);
    await reply.arrayBuffer();
  });

  expect(share).toBeLessThan(0.5);
}, 120_000);

test("300 small bodies of an administrator that arrive together are all parsed", async () => {
  const body = { name: "x", y: "z".repeat(9_000) };

  const send = () => shared.call("POST", "/v1/gateways", body);
  const replies = await Promise.all(Array.from({ length: 300 }, send));

  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([422]));
});

test("bodies of clients without a token that wait for their turn do not fill the memory", async () => {
  await using program = await startProgram();
  const body = `{"token":[${Array(4_900).fill('{"\\u0061":1}').join(",")}]}`;
  const before = readPeakMiB(program.child.pid);

  const senders = Array.from({ length: 64 }, async () => {
    for (let sent = 0; sent < 100; sent++) await postAndLeave(program, "/v1/session", body);
  });
  await Promise.all(senders);

  expect(readPeakMiB(program.child.pid) - before).toBeLessThan(200);
  const reply = await program.call("POST", "/v1/session", { token: OWNER_TOKEN });
  expect(reply.status).toBe(200);
}, 120_000);

test("bodies of an administrator who disconnects do not fill the memory", async () => {
  await using program = await startProgram();
  const body = `{"name":"x","y":[${Array(130_000).fill('{"\\u0061":1}').join(",")}]}`;
  const headers = `host: x\r\nauthorization: Bearer ${OWNER_TOKEN}\r\n`;
  const before = readPeakMiB(program.child.pid);

  const senders = Array.from({ length: 64 }, async () => {
    for (let sent = 0; sent < 12; sent++)
      await postAndLeave(program, "/v1/gateways", body, headers);
  });
  await Promise.all(senders);

  await until(async () => (await program.call("POST", "/v1/gateways", body)).status === 422);
  expect(readPeakMiB(program.child.pid) - before).toBeLessThan(900);
}, 120_000);

test("forms of many fields that clients without a token send neither block others nor fill the memory", async () => {
  await using program = await startProgram();
  const body = "a&".repeat(130_000);
  const before = readPeakMiB(program.child.pid);

  const send = async () => {
    const reply = await fetch(`${program.url}/me`, { method: "POST", body });
    expect([400, 429]).toContain(reply.status);
    await reply.arrayBuffer();
  };
  const { longest } = await measureWait(program, () => sendMany(100, send));

  expect(longest).toBeLessThan(120);
  expect(readPeakMiB(program.child.pid) - before).toBeLessThan(300);
}, 120_000);

test("bodies of many escapes do not block others, on the MCP endpoint", async () => {
  const store = await makeMcpStore(shared);
  const tokens = await Promise.all(["ana", "bo", "cy", "di"].map((sub) => store.token(sub)));
  const escapes = '\\"'.repeat(2_000_000);
  const call = `"method":"tools/call","params":{"name":"store_search","arguments":{"q":"${escapes}"}}`;
  let sent = 0;

  const share = await waitDuring(8, async () => {
    const reply = await fetch(store.url, {
      method: "POST",
      headers: {
        authorization: `Bearer ${tokens[sent++ % tokens.length]}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: `{"jsonrpc":"2.0","id":1,${call}}`,
    });
    expect(reply.status).toBe(200);
    await reply.arrayBuffer();
  });

  expect(share).toBeLessThan(0.5);
}, 120_000);

test("bodies of clients that disconnect while they wait for their turn are not sent upstream", async () => {
  await using upstream = startUpstream();
  const registry = { provider: "openai", url: `${upstream.url}/v1`, models: { allowed: ["m"] } };
  const consumer = await makeConsumer(shared, [registry], { files_scope: "own" });
  const items = Array(4_500).fill('{"\\u0061":1}');
  const body = `{"model":"m","input":[${items.join(",")}],"tools":[{"file_ids":[]}]}`;
  const headers = `host: x\r\nx-ag-api-key: ${consumer.key}\r\ncontent-type: application/json\r\n`;
  const path = `/${consumer.slug}/v1/responses`;

  await Promise.all(Array.from({ length: 300 }, () => postAndLeave(shared, path, body, headers)));
  const reply = await consumer.post("/v1/responses", body);

  expect(reply.status).toBe(200);
  expect(upstream.hits.length).toBeLessThan(100);
}, 30_000);

test("the values of bodies that wait for a guard do not fill the memory", async () => {
  await using program = await startProgram();
  const { id: detector_id } = await makeDetector(program, "data_loss_prevention");
  const input_rules = [{ detector_id, action: "report" }];
  await using consumer = await makeGuardedConsumer(program, { input_rules });
  const lists = Array(21_000).fill("[]").join(",");
  const body = `{"model":"m","messages":[{"role":"user","content":"x"}],"metadata":[${lists}]}`;
  const before = readPeakMiB(program.child.pid);

  const send = async () => await (await consumer.post("/v1/chat/completions", body)).arrayBuffer();
  await sendMany(200, send);

  expect(readPeakMiB(program.child.pid) - before).toBeLessThan(500);
}, 60_000);

test.each(["an evaluation", "a policy test"])(
  "300 bodies of 8 KB with many matches do not block others, in %s",
  async (kind) => {
    const { id: detector_id } = await makeDetector(shared, "data_loss_prevention");
    const rule = { detector_id, action: "report" };
    const { key, policy } = await makeGuard(shared, { input_rules: [rule] });
    const [path, token] =
      kind === "an evaluation"
        ? ["/v1/evaluate", key]
        : [`/v1/policies/${policy.id}/test`, OWNER_TOKEN];
    const input = "ana@example.com 4111 1111 1111 1111 ".repeat(220);
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const body = JSON.stringify({ payload: { input } });

    const share = await waitDuring(300, async () => {
      const reply = await fetch(`${shared.url}${path}`, { method: "POST", headers, body });
      expect(reply.status).toBe(200);
      await reply.arrayBuffer();
    });

    expect(share).toBeLessThan(0.5);
  },
  60_000,
);

test.each([
  ["many matches", "transform", "ana@example.com 4111 1111 1111 1111 ".repeat(28), 30, 0.5],
  ["thousands of events", "report", "word ", 4000, 0.08],
])(
  "15 streams with %s, which a guard evaluates, do not block others",
  async (_, action, content, count, max) => {
    const { id: detector_id } = await makeDetector(shared, "data_loss_prevention");
    const event = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;
    await using consumer = await makeGuardedConsumer(
      shared,
      { output_rules: [{ detector_id, action }] },
      {
        script: {
          headers: { "content-type": "text/event-stream" },
          body: `${event.repeat(count)}data: [DONE]\n\n`,
        },
      },
    );

    const share = await waitDuring(15, async () => {
      const body = { model: "m", stream: true, messages: [] };
      const reply = await consumer.post("/v1/chat/completions", body);
      expect(await reply.text()).toContain("[DONE]");
    });

    expect(share).toBeLessThan(max);
  },
  60_000,
);

test("forms that arrive while the pages of principals are loaded do not fill the memory", async () => {
  await using program = await startProgram();
  const body = "a&".repeat(130_000);
  const before = readPeakMiB(program.child.pid);

  const senders = Array.from({ length: 500 }, async () => {
    for (let sent = 0; sent < 8; sent++) await postAndLeave(program, "/me", body);
  });
  await Promise.all(senders);

  expect(readPeakMiB(program.child.pid) - before).toBeLessThan(300);
  await until(async () => (await fetch(`${program.url}/me`)).status === 200);
}, 60_000);

test.each(["", "/export"])(
  "60 reads of /v1/activity%s, which arrive together, do not block others",
  async (end) => {
    const { id: detector_id } = await makeDetector(shared, "data_loss_prevention");
    const { send } = await makeGuard(shared, { input_rules: [{ detector_id, action: "report" }] });
    const input = "ana@example.com 4111 1111 1111 1111 ".repeat(100);
    await Promise.all(Array.from({ length: 200 }, () => send({ payload: { input } })));

    const share = await waitDuring(60, async () => {
      const reply = await shared.call("GET", `/v1/activity${end}${end ? "" : "?limit=200"}`);
      expect(reply.status).toBe(200);
      await reply.arrayBuffer();
    });

    expect(share).toBeLessThan(0.4);
  },
  60_000,
);

test("200 lists of hundreds of tools do not block others, on the MCP endpoint", async () => {
  const store = await makeMcpStore(shared);
  const description = "d".repeat(2_500);
  const tools = Array.from({ length: 500 }, (_, index) => ({ name: `t${index}`, description }));
  await using server = startMcpServer({ tools });
  await store.install("ana", (await store.serve("Many", server.url)).code);
  const headers = { authorization: `Bearer ${await store.token("ana")}` };
  const list = async () => {
    const reply = await post(store.url, headers, { jsonrpc: "2.0", id: 1, method: "tools/list" });
    expect((await reply.text()).slice(-3e5)).toContain("many__t499");
  };
  await list();

  expect(await waitDuring(200, list)).toBeLessThan(0.4);
}, 60_000);
