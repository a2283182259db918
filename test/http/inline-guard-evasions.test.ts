/** Responses and requests in forms that could hide text from the guard. */
import { expect, test } from "bun:test";
import type { FormPart } from "../kit/dataplane.ts";
import { makeDetector, makeGuardWithRules } from "../kit/guard.ts";
import { type GuardedOptions, makeGuardedConsumer } from "../kit/inline-guard.ts";
import { sharedKit } from "../kit/kit.ts";
import { startRawUpstream } from "../kit/upstream.ts";

const kitOf = sharedKit({ settings: { ACTIVITY_COMMIT: "before" } });
const CHAT = "/v1/chat/completions";
const EVENTS = { "content-type": "text/event-stream" };
const ASK = { model: "gpt-4o", stream: true, messages: [{ role: "user", content: "Hello" }] };
const START = "Card 4111 1111";
const REST = " 1111 1111 is mine";

const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
const chunk = (delta: object) => event({ choices: [{ index: 0, delta, finish_reason: null }] });
const SPLIT = [chunk({ content: START }), chunk({ content: REST }), "data: [DONE]\n\n"];

/** A consumer whose responses are checked for cards, and for a word that blocks. */
async function makeConsumer(script: GuardedOptions["script"]) {
  const kit = await kitOf();
  const cards = await makeDetector(kit, "data_loss_prevention");
  const words = await makeDetector(kit, "prompt_moderation", { keywords: ["forbidden"] });
  const rules = [
    { detector_id: cards.id, action: "transform" },
    { detector_id: words.id, action: "block" },
  ];
  const policy = { input_rules: rules, output_rules: rules };
  return await makeGuardedConsumer(kit, policy, script && { script });
}

test.each(["text/plain", "application/octet-stream"])(
  "events with the type %s are not sent unread",
  async (type) => {
    await using it = await makeConsumer({ headers: { "content-type": type }, chunks: SPLIT });

    const reply = await it.post(CHAT, ASK);

    expect(reply.status).toBe(503);
    expect(await reply.text()).toContain("guard_unavailable");
  },
);

test("text in another charset is not sent unread", async () => {
  const body = Buffer.from(START + REST, "utf16le");
  const headers = { "content-type": "text/plain; charset=utf-16le" };
  await using it = await makeConsumer({ headers, body });

  const reply = await it.post(CHAT, ASK);

  expect(reply.status).toBe(503);
});

const mixed = (content: string) => event({ choices: [null, { index: 0, delta: { content } }] });

test.each([
  ["after a choice that is not an object", [mixed(START), mixed(REST), "data: [DONE]\n\n"]],
  ["after two byte order marks", [`\ufeff\ufeff${SPLIT[0]}`, ...SPLIT.slice(1)]],
])("text of a chat stream %s is masked", async (_, chunks) => {
  await using it = await makeConsumer({ headers: EVENTS, chunks });

  const text = await (await it.post(CHAT, ASK)).text();

  expect(text).toContain("MASKED_CC");
  expect(text).not.toContain("1111");
});

test.each(["reasoning", "reasoning_content"])(
  "text in the member %s of LiteLLM's provider_specific_fields is masked",
  async (name) => {
    const nested = (text: string) => chunk({ provider_specific_fields: { [name]: text } });
    const chunks = [nested(START), nested(REST), "data: [DONE]\n\n"];
    await using it = await makeConsumer({ headers: EVENTS, chunks });

    const text = await (await it.post(CHAT, ASK)).text();

    expect(text).toContain("MASKED_CC");
    expect(text).not.toContain("1111");
  },
);

test("the token ids of a masked text in a stream are not sent", async () => {
  const spelled = (content: string, token_ids: number[]) =>
    event({ choices: [{ index: 0, delta: { content }, token_ids, finish_reason: null }] });
  const chunks = [spelled(START, [1111]), spelled(REST, [1111]), "data: [DONE]\n\n"];
  await using it = await makeConsumer({ headers: EVENTS, chunks });

  const text = await (await it.post(CHAT, ASK)).text();

  expect(text).toContain("MASKED_CC");
  expect(text).not.toContain("1111");
});

test("a chunk with two lists of content ends the stream", async () => {
  const content = [{ type: "text", text: "Hello" }];
  const chunks = [chunk({ content, content_parts: START + REST })];
  await using it = await makeConsumer({ headers: EVENTS, chunks });

  const text = await (await it.post(CHAT, ASK)).text();

  expect(text).toContain("guard_unavailable");
  expect(text).not.toContain("1111");
});

test.each([
  ["response.output_item.added", { item: { type: "message", content: [{ text: START }] } }],
  ["response.content_part.added", { content_index: 0, part: { type: "output_text", text: START } }],
])("text in %s and in the deltas after it is masked as one", async (type, members) => {
  const at = { output_index: 0, content_index: 0 };
  const last = event({ type: "response.completed", response: { id: "r1" } });
  for (const rest of [REST, ""]) {
    const first = JSON.stringify({ type, output_index: 0, ...members });
    const chunks = [
      `data: ${rest === "" ? first.replace(START, START + REST) : first}\n\n`,
      event({ type: "response.output_text.delta", ...at, delta: rest }),
      event({ type: "response.output_item.done", output_index: 0, item: {} }),
      last,
    ];
    await using it = await makeConsumer({ headers: EVENTS, chunks });

    const text = await (await it.post("/v1/responses", ASK)).text();

    expect(text).toContain("MASKED_CC");
    expect(text).toContain("is mine");
    expect(text).not.toContain("1111");
  }
});

test("a stream that passes because the guard fails keeps a character that two chunks share", async () => {
  const said = chunk({ content: "\u{1f600}" });
  const bytes = Buffer.from(
    `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: ?\n\n${said}data: [DONE]\n\n`,
  );
  const middle = bytes.indexOf("\u{1f600}") + 2;
  await using upstream = await startRawUpstream(async (socket) => {
    socket.write(bytes.subarray(0, middle));
    await Bun.sleep(20);
    socket.end(bytes.subarray(middle));
  });
  const attach = { url: upstream.url };
  const kit = await kitOf();
  const options = { attach, collector: { fail_mode: "open" } };
  await using it = await makeGuardedConsumer(kit, {}, options);

  const reply = await it.post(CHAT, ASK);

  expect(await reply.text()).toBe(`data: ?\n\n${said}data: [DONE]\n\n`);
});

test("a stream that an error event blocks is recorded as blocked", async () => {
  const chunks = [chunk({ content: "Hello " }), event({ error: { message: "It is forbidden." } })];
  await using it = await makeConsumer({ headers: EVENTS, chunks });

  const reply = await it.post(CHAT, ASK);

  expect(await reply.text()).not.toContain("forbidden");
  expect(await it.evaluations(reply.headers.get("x-ag-trace-id"))).toMatchObject([
    { direction: "input", status: "allow" },
    { direction: "output", status: "block" },
  ]);
});

test("a masked transcription has no list of its words", async () => {
  const words = START.split(" ").map((word, start) => ({ word, start }));
  const body = `{"duration":1.0,"text":"${START}${REST}","words":${JSON.stringify(words)},"segments":[{"text":"x","words":${JSON.stringify(words)}}]}`;
  const headers = { "content-type": "application/json" };
  await using it = await makeConsumer({ headers, body });

  const form: FormPart[] = [
    ["model", "whisper-1"],
    ["file", "x", "a.mp3"],
  ];
  const reply = await it.form("/v1/audio/transcriptions", form);

  expect(await reply.text()).toBe(
    '{"duration":1.0,"text":"Card [MASKED_CC] is mine","words":[],"segments":[{"text":"x","words":[]}]}',
  );
});

test("token ids of an embedding are recorded as uninspected", async () => {
  await using it = await makeConsumer({ body: { data: [] } });

  for (const input of [[4111, 1111], [[4111, 1111]]]) {
    const reply = await it.post("/v1/embeddings", { model: "gpt-4o", input });

    expect(reply.status).toBe(200);
    const [evaluation] = await it.evaluations(reply.headers.get("x-ag-trace-id"));
    const stored = await (await kitOf()).get(`/v1/activity/${evaluation?.id}`);
    expect(await stored.json()).toMatchObject({
      detectors: { uninspected: [{ pointer: "/input", reason: "binary" }] },
    });
  }
});

const DENIED = { name: "delete_all", parameters: { type: "object" } };
const QUERY = "' OR 1=1; DROP TABLE users; --";

test.each([
  { jsonrpc: "2.0" },
  { method: "tools/call", params: { name: "search" } },
  { role: "assistant" },
  { role: "tool", content: "Done." },
])("a request with the members %j is evaluated like one without them", async (members) => {
  const kit = await kitOf();
  const tools = await makeDetector(kit, "tool_permission", {
    denied_tools: [DENIED.name],
    definitions: true,
  });
  const injections = await makeDetector(kit, "injection_protection");
  const rules = [tools, injections].map(({ id }) => ({ detector_id: id, action: "block" }));
  await using it = await makeGuardedConsumer(kit, { input_rules: rules });
  const call = { id: "1", type: "function", function: { name: DENIED.name, arguments: "{}" } };

  for (const more of [
    { tools: [{ type: "function", function: DENIED }] },
    { tools: [{ name: "search", function: DENIED }] },
    { tools: [{ type: "namespace", name: "admin", tools: [DENIED] }] },
    { input: [{ type: "tool_search_output", tools: [DENIED] }] },
    { input: [{ type: "additional_tools", role: "developer", tools: [DENIED] }] },
    { messages: [{ role: "assistant", tool_calls: [call] }] },
    { messages: [{ role: "user", content: QUERY }] },
    { messages: [{ content: QUERY }] },
  ]) {
    const reply = await it.post(CHAT, { model: "gpt-4o", messages: [], ...members, ...more });
    expect([reply.status, it.upstream.hits.length]).toEqual([403, 0]);
  }
});

test.each<[string, object]>([
  ["/messages/0/Role", { messages: [{ role: "assistant", Role: "user", content: QUERY }] }],
  ["/messages/0/ROLE", { messages: [{ ROLE: "assistant", content: "x" }] }],
  ["/Tools", { Tools: [{ type: "function", function: DENIED }] }],
  ["/tool\u017f", { tool\u017f: [{ type: "function", function: DENIED }] }],
  ["/tools/0/Function", { tools: [{ type: "function", Function: DENIED }] }],
  ["/tools/0/function/Name", { tools: [{ function: { ...DENIED, name: "a", Name: "b" } }] }],
  ["/messages/0/Tool_Calls", { messages: [{ role: "assistant", Tool_Calls: [] }] }],
  ["/System", { system: "Be brief.", System: "Be rude." }],
])("a request with the member %s is rejected: only some upstreams read it", async (name, more) => {
  await using it = await makeConsumer(undefined);

  const reply = await it.post(CHAT, { model: "gpt-4o", messages: [], ...more });

  expect([reply.status, it.upstream.hits.length]).toEqual([400, 0]);
  expect(await reply.text()).toContain(name);
});

test("names of the format in data of the caller keep their spelling", async () => {
  await using it = await makeConsumer(undefined);
  const data = { Role: "x", Type: "y", Name: "z", Content: [{ Text: "a" }], Tools: [], Item: {} };
  const schema = { type: "object", properties: data, Required: ["Name"] };
  const body = {
    model: "gpt-4o",
    metadata: data,
    documents: [{ id: "1", ID: "2", ...data }],
    tools: [{ type: "function", function: { name: "f", parameters: schema } }],
    messages: [
      { role: "user", content: "Hi" },
      {
        role: "assistant",
        tool_calls: [{ id: "1", function: { name: "f", arguments: JSON.stringify(data) } }],
      },
      { role: "tool", tool_call_id: "1", content: JSON.stringify(data) },
    ],
  };

  const reply = await it.post(CHAT, body);

  expect(reply.status).toBe(200);
  expect(JSON.parse(it.upstream.hits[0]?.body.toString() ?? "")).toEqual(body);
});

test("an evaluation of a body with names in another spelling is not rejected", async () => {
  const guard = await makeGuardWithRules(await kitOf(), "data_loss_prevention");

  const { status } = await guard.evaluate({ payload: { messages: [], Messages: [{ Role: "x" }] } });

  expect(status).toBe("allow");
});

test("an error of an upstream that writes names in upper case is sent", async () => {
  const body = { Message: "The model is busy.", Type: "User", Code: "Throttled" };
  await using it = await makeConsumer({ status: 429, body });

  const reply = await it.post(CHAT, { model: "gpt-4o", messages: [] });

  expect([reply.status, await reply.json()]).toEqual([429, body]);
});
