/** The guard evaluates the texts of stored responses, conversations and batches, or reports them as uninspected. */
import { expect, test } from "bun:test";
import { makeDetector } from "../kit/guard.ts";
import { type GuardedOptions, makeGuardedConsumer } from "../kit/inline-guard.ts";
import { sharedKit } from "../kit/kit.ts";
import { eventsOf } from "../kit/mask-words.ts";

const kit = sharedKit({ settings: { ACTIVITY_COMMIT: "before" } });
const BATCHES = "/v1/messages/batches";
const MAIL = "jane.doe@example.com";

async function makeGuarded(
  rules: "input_rules" | "output_rules",
  action: string,
  options: GuardedOptions = {},
) {
  const { id } = await makeDetector(await kit(), "data_loss_prevention");
  return await makeGuardedConsumer(
    await kit(),
    { [rules]: [{ detector_id: id, action }] },
    options,
  );
}

const message = (text: string) => ({ role: "user", content: [{ type: "input_text", text }] });
const params = { model: "m", max_tokens: 9, messages: [{ role: "user", content: MAIL }] };

test.each([
  ["a new conversation", "openai", "/v1/conversations", { items: [message(MAIL)] }],
  ["an item of a conversation", "openai", "/v1/conversations/c/items", { items: [message(MAIL)] }],
  [
    "a batch of messages",
    "anthropic",
    "/v1/messages/batches",
    { requests: [{ custom_id: "a", params: { ...params, messages: [] } }, { params }] },
  ],
])("%s is evaluated before it is sent", async (_, provider, path, body) => {
  await using it = await makeGuarded("input_rules", "block", { attach: { provider } });

  const reply = await it.post(path, body);

  expect([reply.status, it.upstream.hits.length]).toEqual([403, 0]);
});

const output = [{ type: "message", content: [{ type: "output_text", text: `Mail ${MAIL}` }] }];
const result = (text: string) => ({
  custom_id: "a",
  result: { type: "succeeded", message: { role: "assistant", content: [{ type: "text", text }] } },
});

test.each([
  ["a stored response", "openai", "/v1/responses/r", { id: "r", output }],
  ["the input of a response", "openai", "/v1/responses/r/input_items", { data: [message(MAIL)] }],
  ["items of a conversation", "openai", "/v1/conversations/c/items", { data: output }],
  ["an item of a conversation", "openai", "/v1/conversations/c/items/m", message(MAIL)],
])("%s is masked", async (_, provider, path, body) => {
  const options = { attach: { provider }, script: { body } };
  await using it = await makeGuarded("output_rules", "transform", options);

  const reply = await it.get(path);

  expect(reply.status).toBe(200);
  expect(reply.headers.get("x-ag-guard")).toBe("transform");
  expect(await reply.text()).not.toContain(MAIL);
});

const CARD = 4111111111111111;
const called = { type: "function_call", name: "pay", arguments: JSON.stringify({ card: CARD }) };
const used = {
  role: "assistant",
  content: [{ type: "tool_use", name: "pay", input: { card: CARD } }],
};
const offered = { type: "additional_tools", role: "developer", tools: [{ name: "pay" }] };

/** Denies the tool `pay`, called or offered. */
async function makeStrict(path: string, body: object | string) {
  const settings = { denied_tools: ["pay"], definitions: true };
  const { id } = await makeDetector(await kit(), "tool_permission", settings);
  const rules = [{ detector_id: id, action: "block" }];
  return await makeGuardedConsumer(
    await kit(),
    { input_rules: rules, output_rules: rules },
    {
      attach: { provider: path.startsWith(BATCHES) ? "anthropic" : "openai" },
      script: { body },
    },
  );
}

const batch = (members: object) => ({ requests: [{ params: { ...params, ...members } }] });

test.each<{ content: string; path: string; body: object }>([
  { content: "a call", path: "/v1/conversations", body: { items: [called] } },
  { content: "a call", path: "/v1/conversations/c/items", body: { items: [called] } },
  { content: "a tool", path: "/v1/conversations/c/items", body: { items: [offered] } },
  { content: "a call", path: BATCHES, body: batch({ messages: [used] }) },
  { content: "a tool", path: BATCHES, body: batch({ tools: [{ name: "pay" }] }) },
])("rules for tools apply to $content in a request at $path", async ({ path, body }) => {
  await using it = await makeStrict(path, {});

  const { status } = await it.post(path, body);

  expect([status, it.upstream.hits.length]).toEqual([403, 0]);
});

test.each<{ path: string; body: object | string }>([
  { path: "/v1/responses/r/input_items", body: { data: [called] } },
  { path: "/v1/conversations/c/items", body: { data: [called] } },
  { path: `${BATCHES}/b/results`, body: `${JSON.stringify({ result: { message: used } })}\n` },
])("rules for tools apply to the response of $path", async ({ path, body }) => {
  await using it = await makeStrict(path, body);

  expect((await it.get(path)).status).toBe(403);
});

test("cards that are numbers in the calls of a batch of messages are masked", async () => {
  const options = { attach: { provider: "anthropic" } };
  await using it = await makeGuarded("input_rules", "transform", options);

  await it.post(BATCHES, { requests: [{ params: { ...params, messages: [used] } }] });

  const sent = it.upstream.hits[0]?.body.toString();
  expect(sent).toContain('{"card":"[MASKED_CC]"}');
});

test("the stream of a stored response is masked, and ends with its terminator", async () => {
  const event = (type: string, more: object) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
  const at = { item_id: "m", output_index: 0, content_index: 0 };
  const chunks = [
    event("response.output_text.delta", { ...at, delta: "Mail jane.d" }),
    event("response.output_text.delta", { ...at, delta: "oe@example.com now" }),
    event("response.completed", { response: { id: "r", output: [] } }),
  ];
  const script = { headers: { "content-type": "text/event-stream" }, chunks };
  await using it = await makeGuarded("output_rules", "transform", { script });

  const text = await (await it.get("/v1/responses/r?stream=true")).text();

  expect(text).not.toContain("jane");
  expect(text).toContain("event: response.completed");
});

test("a resumed stream continues the masked one, and does not begin inside of a match", async () => {
  const at = { item_id: "m", output_index: 0, content_index: 0 };
  const deltas = ["Mail ", "jane", ".doe", "@example.com", " now"].map((delta) => ({
    ...at,
    delta,
  }));
  const events = [
    ...deltas.map((each) => ({ type: "response.output_text.delta", ...each })),
    { type: "response.completed", response: { id: "r", output: [] } },
  ].map((each, sequence_number) => ({ ...each, sequence_number }));
  const script: GuardedOptions["script"] = ({ query }) => {
    const after = new URLSearchParams(query).get("starting_after") ?? -1;
    const rest = events.filter(({ sequence_number }) => sequence_number > Number(after));
    const chunks = rest.map((each) => `event: ${each.type}\ndata: ${JSON.stringify(each)}\n\n`);
    return { headers: { "content-type": "text/event-stream" }, chunks };
  };
  await using it = await makeGuarded("output_rules", "transform", { script });
  const read = async (query: string) =>
    eventsOf(await (await it.get(`/v1/responses/r${query}`)).text());

  const whole = await read("?stream=true");

  expect(whole.map(({ delta }) => delta).join("")).toMatch(/^Mail \[\w+\] now$/);
  for (const after of events.keys()) {
    const isLater = ({ sequence_number }: { sequence_number: number }) => sequence_number > after;
    const rest = whole.filter(isLater);
    expect(await read(`?starting_after=${after}&stream=true`)).toEqual(rest);
    expect(await read(`?stream=true&Starting%5Fafter=${after}`)).toEqual(rest);
  }
  await read("?stream=true&include=a;b");
  expect(it.upstream.hits.at(-1)?.query).toBe("?stream=true&include=a;b");
});

test("results of a batch of messages are masked line by line, also behind JSON escapes", async () => {
  const lines = [result("Hello"), result(`Mail ${MAIL}, then`)].map((each) => JSON.stringify(each));
  const escaped = lines.join("\n").replace("@", "\\u0040");
  const script = { headers: { "content-type": "application/x-jsonl" }, body: `${escaped}\n` };
  const attach = { provider: "anthropic" };
  await using it = await makeGuarded("output_rules", "transform", { script, attach });

  const reply = await it.get("/v1/messages/batches/b/results");
  const text = await reply.text();

  expect(reply.headers.get("content-type")).toBe("application/x-jsonl");
  const [first, second] = text.trimEnd().split("\n");
  expect(first).toBe(lines[0] ?? "");
  const { content } = JSON.parse(second ?? "").result.message;
  expect(content[0].text).toMatch(/^Mail \[\w+\], then$/);
});

test("results of a batch of messages with a blocked text are a 403 in Anthropic's format", async () => {
  const script = { body: `${JSON.stringify(result(MAIL))}\n` };
  const attach = { provider: "anthropic" };
  await using it = await makeGuarded("output_rules", "block", { script, attach });

  const reply = await it.get("/v1/messages/batches/b/results");

  expect(reply.status).toBe(403);
  expect(await reply.json()).toMatchObject({ type: "error", error: { code: "guard_blocked" } });
});

test("results that are not JSON lines are not sent by a fail-closed guard", async () => {
  const script = { body: `{"a":1}\nMail ${MAIL}\n` };
  const attach = { provider: "anthropic" };
  await using it = await makeGuarded("output_rules", "block", { script, attach });

  const reply = await it.get("/v1/messages/batches/b/results");

  expect(reply.status).toBe(503);
  expect(await reply.text()).not.toContain(MAIL);
});

test("the requests and results of a batch in files are reported as uninspected", async () => {
  const { id } = await makeDetector(await kit(), "uninspected");
  const rules = [{ detector_id: id, action: "report" }];
  const batch = { id: "batch_1", input_file_id: "file-1", output_file_id: "file-2" };
  await using it = await makeGuardedConsumer(
    await kit(),
    { input_rules: rules, output_rules: rules },
    { script: { body: batch } },
  );

  const created = await it.post("/v1/batches", { input_file_id: "file-1" });
  const read = await it.get("/v1/batches/batch_1");

  expect([created, read].map(({ headers }) => headers.get("x-ag-guard"))).toEqual([
    "report",
    "report",
  ]);
  const [evaluation] = await it.evaluations(created.headers.get("x-ag-trace-id"));
  expect(evaluation).toMatchObject({
    detectors: { uninspected: [{ pointer: "/input_file_id", reason: "unreadable" }] },
  });
});

test("a rule on uninspected content stops a batch of a file", async () => {
  const { id } = await makeDetector(await kit(), "uninspected");
  const input_rules = [{ detector_id: id, action: "block" }];
  await using it = await makeGuardedConsumer(await kit(), { input_rules });

  const reply = await it.post("/v1/batches", { input_file_id: "file-1" });

  expect([reply.status, it.upstream.hits.length]).toEqual([403, 0]);
});

test("a mask that would change the continued conversation is rejected", async () => {
  await using it = await makeGuarded("input_rules", "transform");

  const body = { model: "m", input: "x", conversation: MAIL };
  const reply = await it.post("/v1/responses", body);

  expect([reply.status, it.upstream.hits.length]).toEqual([403, 0]);
});
