/** A client that disconnects cancels its upstream call, and the event records it. */
import { expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { type Consumer, FORM_TYPE, makeConsumer } from "../kit/dataplane.ts";
import { makeDetector } from "../kit/guard.ts";
import { makeGuardedConsumer } from "../kit/inline-guard.ts";
import { type Kit, sharedKit, startKit } from "../kit/kit.ts";
import { until } from "../kit/until.ts";
import { startRawUpstream, startUpstream } from "../kit/upstream.ts";

const kit = sharedKit();
const CHAT = "/v1/chat/completions";

async function eventsOf(one: Consumer, owner?: Kit): Promise<object[]> {
  const reply = await (owner ?? (await kit())).get(`/v1/gateways/${one.gateway.id}/requests`);
  return ((await reply.json()) as { items: object[] }).items;
}

const JSON_BODY = '{"model":"x"}';
const PART = "------test-Boundary_7\r\nContent-Disposition: form-data; name=";
const HALF_FORM = `${PART}"model"\r\n\r\nx\r\n${PART}"file"; filename="a"\r\n\r\nhalf`;

const ASK = {
  path: CHAT,
  type: "application/json",
  body: JSON_BODY,
  more: "",
  length: JSON_BODY.length,
};
const UPLOAD = {
  path: "/v1/audio/transcriptions",
  type: FORM_TYPE,
  body: HALF_FORM,
  // The upstream is called when a chunk follows the one that names the model.
  more: " of it",
  length: 100_000,
};
const OK = "HTTP/1.1 200 OK\r\n";

test.each([
  ["while it waits for the response", ASK, ""],
  ["in the middle of a short response", ASK, `${OK}content-length: 9\r\n\r\nhalf`],
  ["in the middle of a long one", ASK, `${OK}content-length: 90000\r\n\r\nhalf`],
  ["in the middle of a stream", ASK, `${OK}content-type: text/event-stream\r\n\r\ndata: 1\n\n`],
  ["in the middle of its upload", UPLOAD, ""],
])(
  "a client that disconnects %s cancels the upstream call",
  async (_, { path, type, body, more, length }, words) => {
    const calls: Socket[] = [];
    await using upstream = await startRawUpstream((socket) => {
      calls.push(socket);
      socket.write(words);
    });
    const one = await makeConsumer(await kit(), [{ provider: "openai", url: upstream.url }]);
    const client = connect(Number(new URL(one.url).port), "127.0.0.1");
    client.write(
      `POST /${one.slug}${path} HTTP/1.1\r\nhost: x\r\nx-ag-api-key: ${one.key}\r\n` +
        `content-type: ${type}\r\ncontent-length: ${length}\r\n\r\n${body}`,
    );
    await Bun.sleep(20);
    client.write(more);
    await until(() => calls.length === 1);
    await Bun.sleep(20);

    client.destroy();

    expect(await until(() => calls[0]?.destroyed === true)).toBeLessThan(2000);
    await until(async () => (await eventsOf(one)).length > 0);
    expect(await eventsOf(one)).toMatchObject([{ error_code: "client_closed" }]);
  },
);

test("no attempt follows after a client disconnects between two attempts", async () => {
  await using own = await startKit();
  own.deps.random = () => 10; // a backoff that outlasts the detection of the disconnect
  await using first = startUpstream();
  await using second = startUpstream();
  const upstreams = [first, second];
  const attach = upstreams.map(({ url }) => ({ provider: "openai", url }));
  const one = await makeConsumer(own, attach);
  const hits = () => first.hits.length + second.hits.length;
  for (let n = 0; n < 4; n++) await (await one.post(CHAT, { model: "x" })).text();
  expect(upstreams.every((upstream) => upstream.hits.length > 0)).toBe(true); // both are connected
  const leave = new AbortController();
  for (const { script } of upstreams) {
    script(() => {
      setTimeout(() => leave.abort(), 5); // the response is on its way
      return { status: 503 };
    });
  }

  await one
    .call(CHAT, { method: "POST", body: '{"model":"x"}', signal: leave.signal })
    .catch(() => {});
  await until(async () => (await eventsOf(one, own)).length === 5);

  expect(hits()).toBe(5);
});

test("a request whose client disconnects while a worker evaluates it is not sent upstream", async () => {
  const { id: detector_id } = await makeDetector(await kit(), "data_loss_prevention");
  const input_rules = [{ detector_id, action: "report" }];
  await using one = await makeGuardedConsumer(await kit(), { input_rules });
  const messages = Array(60).fill({ role: "user", content: "ana@example.com ".repeat(1_000) });
  const body = JSON.stringify({ model: "x", messages });

  const signal = AbortSignal.timeout(50);
  await one.call(CHAT, { method: "POST", body, signal }).catch(() => {});
  await until(async () => (await eventsOf(one)).length > 0);

  expect(await eventsOf(one)).toMatchObject([{ error_code: "client_closed", attempts: [] }]);
  expect(one.upstream.hits).toEqual([]);
});

test("a response whose client disconnects before its turn is evaluated for the record", async () => {
  await using own = await startKit();
  const { id: detector_id } = await makeDetector(own, "data_loss_prevention");
  const output_rules = [{ detector_id, action: "block" }];
  const content = "ana@example.com ".repeat(1_000);
  const script = { body: { choices: [{ index: 0, message: { role: "assistant", content } }] } };
  await using one = await makeGuardedConsumer(own, { output_rules }, { script });
  const leave = new AbortController();
  const { take } = own.deps.turns;
  own.deps.turns.take = (turn) => {
    if (one.upstream.hits.length === 0) return take(turn);
    leave.abort();
    return Bun.sleep(100);
  };

  const body = '{"model":"x","messages":[]}';
  await one.call(CHAT, { method: "POST", body, signal: leave.signal }).catch(() => {});
  await until(async () => (await eventsOf(one, own)).length > 0);

  const reply = await own.get("/v1/activity");
  expect(await reply.json()).toMatchObject({
    items: [{ direction: "output", status: "block" }, { direction: "input" }],
  });
});
