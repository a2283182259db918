/** Bodies of the admin API have a memory budget of their own, of which each administrator has a share. */
import { expect, test } from "bun:test";
import { connect } from "node:net";
import { adminClient } from "../kit/admin-client.ts";
import { OWNER_TOKEN, startKit } from "../kit/kit.ts";
import { until } from "../kit/until.ts";

const PATH = "/v1/gateways";
const LARGE = { name: "x", unknown: "y".repeat(1_500_000) };

/** Sends all of a body but its last byte. */
function postMost(url: string, token: string, body: string) {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  const headers = `host: x\r\nauthorization: Bearer ${token}\r\ncontent-length: ${body.length}`;
  socket.write(`POST ${PATH} HTTP/1.1\r\n${headers}\r\n\r\n${body.slice(0, -1)}`);
  return socket;
}

test("an administrator whose bodies fill its share can send small ones, and others large ones", async () => {
  await using kit = await startKit();
  const body = { name: "other", role: "owner" };
  const { token } = await kit.make<{ token: string }>("/v1/tokens", body);
  const other = adminClient(kit.url, token);
  const statusOfLarge = async (client = other) => (await client.call("POST", PATH, LARGE)).status;
  expect(await statusOfLarge()).toBe(422);

  const stalled = Array.from({ length: 30 }, () =>
    postMost(kit.url, OWNER_TOKEN, JSON.stringify(LARGE)),
  );
  await until(async () => (await statusOfLarge(kit)) === 429);

  expect(await statusOfLarge()).toBe(422);
  await kit.make(PATH, { name: "small" });
  const session = await fetch(`${kit.url}/v1/session`, {
    method: "POST",
    body: JSON.stringify({ token: OWNER_TOKEN }),
  });
  expect(session.status).toBe(200);
  for (const socket of stalled) socket.destroy();
  await until(async () => (await statusOfLarge(kit)) === 422);
  expect(kit.deps.adminBytes.reserved).toBe(0);
}, 20_000);

test("bodies whose parsed values take much memory count as much", async () => {
  await using kit = await startKit();
  const policy = await kit.make("/v1/policies", { name: "p" });
  const lists = Array(24_000).fill("[]").join(",");
  const body = `{"payload":{"input":[${lists}]}}`;

  const send = () => kit.call("POST", `/v1/policies/${policy.id}/test`, body);
  const replies = await Promise.all(Array.from({ length: 40 }, send));

  const count = (status: number) => replies.filter((reply) => reply.status === status).length;
  expect(count(429)).toBeGreaterThan(4);
  expect(kit.deps.adminBytes.reserved).toBe(0);
}, 20_000);

test("a body of more than 50,000 values is rejected before it is validated", async () => {
  await using kit = await startKit();
  const policy = await kit.make("/v1/policies", { name: "p" });
  const { token } = await kit.make<{ token: string }>("/v1/tokens", {
    name: "auditor",
    role: "auditor",
  });
  const auditor = adminClient(kit.url, token);
  const anyOf = (condition: unknown, count = 100) => ({ any: Array(count).fill(condition) });
  const replay = (when: unknown) =>
    auditor.call("POST", `/v1/policies/${policy.id}/replay`, {
      draft: { name: "p", gates: [{ name: "g", action: "block", when }] },
    });

  const small = await replay(anyOf(anyOf(0)));
  const large = await replay(anyOf(anyOf(anyOf(0), 6)));

  expect(small.status).toBe(422);
  expect(await small.text()).toContain("draft.gates[0].when");
  expect(large.status).toBe(422);
  expect(await large.text()).toContain("body: must have at most 50000 values; send it in parts");
}, 20_000);

test("a body that is nested deeper than 1,000 levels is a 422", async () => {
  await using kit = await startKit();
  const policy = await kit.make("/v1/policies", { name: "p" });
  const send = (depth: number) => {
    const input = `${"[".repeat(depth)}${"]".repeat(depth)}`;
    return kit.call("POST", `/v1/policies/${policy.id}/test`, `{"payload":{"input":${input}}}`);
  };

  const accepted = await send(998);
  const rejected = await send(999);

  expect(accepted.status).toBe(200);
  expect(rejected.status).toBe(422);
  expect(await rejected.text()).toContain("body: must not be nested deeper than 1000 levels");
}, 20_000);
