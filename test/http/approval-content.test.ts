/** An approver can distinguish a request from every other one that differs in a single value. */
import { expect, test } from "bun:test";
import type { Verdict } from "../../src/contract/guard/evaluate.ts";
import { isObject, type JsonObject } from "../../src/lib/json/json-object.ts";
import { makeGuard } from "../kit/guard.ts";
import { sharedKit } from "../kit/kit.ts";
import { until } from "../kit/until.ts";

const started = sharedKit();

const encodeBytes = (end: string) =>
  Buffer.alloc(300, `\x89PNG\r\n\x1a\n\x00${end}`, "latin1").toString("base64");
const BYTES = encodeBytes("\x01");
const schema = {
  type: "object",
  properties: { to: { type: "string", enum: ["a", "b"], format: "email", pattern: "^a" } },
  required: ["to"],
};
const reply = { type: "object", required: ["paid"] };
const user = (...content: object[]) => ({ role: "user", content });

const REQUESTS: Record<string, [protocol: string, payload: JsonObject]> = {
  chat: [
    "llm",
    {
      messages: [
        user(
          { type: "text", text: "hello" },
          { type: "image_url", image_url: { url: "https://a.example/x.png", detail: "low" } },
          { type: "input_audio", input_audio: { data: BYTES, format: "wav" } },
          { type: "file", file: { file_id: "file-1", filename: "a.pdf" } },
        ),
        {
          role: "assistant",
          tool_calls: [{ type: "function", function: { name: "pay", arguments: '{"to":"b"}' } }],
        },
        { role: "tool", content: "done 5" },
      ],
      tools: [{ type: "function", function: { name: "pay", strict: true, parameters: schema } }],
      tool_choice: { type: "function", function: { name: "pay" } },
      temperature: 0.5,
      store: true,
      metadata: { a: "b" },
      logit_bias: { "50256": -100 },
      web_search_options: { search_context_size: "low" },
    },
  ],
  responses: [
    "llm",
    {
      instructions: "Be nice",
      conversation: "conv_1",
      input: [
        { type: "computer_call", action: { type: "click", x: 1, y: 2, button: "left" } },
        { type: "mcp_approval_response", approval_request_id: "mcpr_1", approve: true },
        { type: "local_shell_call", action: { type: "exec", command: ["ls"], env: { A: "1" } } },
        { type: "reasoning", id: "rs_1", summary: [], encrypted_content: BYTES },
        { type: "item_reference", id: "msg_9" },
        { type: "custom_tool_call", name: "x", input: "free text" },
      ],
      tools: [
        { type: "mcp", server_label: "s", server_url: "https://mcp.example", allowed_tools: ["a"] },
        { type: "file_search", vector_store_ids: ["vs_1"], filters: { key: "k", value: "v" } },
        { type: "custom", name: "c", format: { type: "grammar", definition: "start: A" } },
      ],
      prompt: { id: "pmpt_1", version: "2", variables: { city: "x" } },
    },
  ],
  messages: [
    "llm",
    {
      system: [{ type: "text", text: "sys", cache_control: { type: "ephemeral", ttl: "5m" } }],
      messages: [
        user(
          { type: "document", source: { type: "url", url: "https://a.example/d.pdf" }, title: "T" },
          { type: "container_upload", file_id: "file_7" },
        ),
        {
          role: "assistant",
          content: [
            { type: "tool_use", id: "t1", name: "pay", input: { n: 5, none: [] } },
            { type: "redacted_thinking", data: BYTES },
          ],
        },
      ],
      tools: [
        { name: "pay", description: "d", input_schema: schema, parameters: reply },
        { type: "web_search_20250305", name: "web_search", allowed_domains: ["a.example"] },
      ],
      mcp_servers: [{ type: "url", url: "https://m.example", name: "m" }],
      container: "cont_1",
    },
  ],
  Gemini: [
    "llm",
    {
      contents: [
        {
          role: "user",
          parts: [
            { fileData: { fileUri: "files/1", mimeType: "text/plain" } },
            { inlineData: { mimeType: "image/png", data: BYTES } },
            { functionResponse: { id: "i", name: "f", response: { ok: 1 } } },
          ],
        },
      ],
      tools: [
        { functionDeclarations: [{ name: "f", parameters: schema, response: reply }] },
        { functionDeclarations: [{ name: "g", response: reply }] },
        { googleSearch: {} },
      ],
      cachedContent: "cachedContents/1",
    },
  ],
  MCP: [
    "mcp",
    {
      method: "tools/call",
      params: {
        name: "pay",
        arguments: { n: 5, account: 4111111111111111, role: "user", signature: BYTES },
        _meta: { x: { y: 1 } },
      },
    },
  ],
};

test.each(Object.entries(REQUESTS))(
  "an approver of a request in %s sees every change of a value",
  async (_, [protocol, payload]) => {
    const kit = await started();
    const guard = await makeGuard(kit, { gates: [{ name: "all", when: null, action: "ask" }] });
    const show = async (changed: JsonObject): Promise<string> => {
      const reply = await guard.send({ payload: changed, protocol });
      const { findings } = (await reply.json()) as Verdict;
      const approval = await kit.get(`/v1/approvals/${findings[0]?.evidence.approval_id}`);
      return JSON.stringify((await approval.json()).content);
    };
    const shown = await show(payload);

    const unseen: string[] = [];
    for (const pointer of listScalars(payload)) {
      // Unlike structuredClone, copies a schema that is used twice.
      const changed = JSON.parse(JSON.stringify(payload));
      changeScalar(changed, pointer);
      if ((await show(changed)) === shown) unseen.push(pointer.join("/"));
    }
    expect(unseen).toEqual([]);
  },
  30_000,
);

const PAGE = "<script>fetch('//a.example')</script> hello world, hello world";
const toBase64 = (text: string) => Buffer.from(text).toString("base64");
const callWith = (value: JsonObject): JsonObject => ({
  method: "tools/call",
  params: { name: "save", arguments: value },
});
const inChat = (value: JsonObject): JsonObject =>
  chat({
    tool_calls: [
      { type: "function", function: { name: "save", arguments: JSON.stringify(value) } },
    ],
  });
test.each<[string, JsonObject, JsonObject]>([
  [
    "text and HTML in a data URL",
    { file: `data:text/plain;base64,${toBase64(PAGE)}` },
    { file: `data:text/html;base64,${toBase64(PAGE)}` },
  ],
  [
    "a script and an image in a data URL with escapes",
    { file: `data:text/javascript,${encodeURIComponent(PAGE)}` },
    { file: `data:image/svg+xml,${encodeURIComponent(PAGE)}` },
  ],
  [
    "base64 with and without a byte order mark",
    { blob: toBase64(PAGE) },
    { blob: toBase64(`\ufeff${PAGE}`) },
  ],
  ["a list and an object with indexes", { to: ["x"] }, { to: { 0: "x" } }],
  ["such values that are numbers", { to: [[5]] }, { to: [{ 0: 5 }] }],
])("an approver can distinguish %s", async (_, one, other) => {
  const kit = await started();
  const guard = await makeGuard(kit, { gates: [{ name: "all", when: null, action: "ask" }] });
  const show = async (payload: JsonObject, protocol: string) => {
    const reply = await guard.send({ payload, protocol });
    const { findings } = (await reply.json()) as Verdict;
    const approval = await kit.get(`/v1/approvals/${findings[0]?.evidence.approval_id}`);
    return (await approval.json()).content as { pointer: string; text: string }[];
  };

  expect(await show(callWith(one), "mcp")).not.toEqual(await show(callWith(other), "mcp"));
  expect(await show(inChat(one), "llm")).not.toEqual(await show(inChat(other), "llm"));
});

test("an approver sees the prefix of a data URL, which Activity does not store", async () => {
  const kit = await started();
  const gates = [{ name: "all", when: null, action: "ask" }];
  const guard = await makeGuard(kit, { gates }, { content_storage: "masked" });
  const file = `data:text/html;base64,${toBase64(PAGE)}`;

  const reply = await guard.send({ payload: callWith({ file }), protocol: "mcp" });
  const { findings, request_id } = (await reply.json()) as Verdict;
  const approval = await kit.get(`/v1/approvals/${findings[0]?.evidence.approval_id}`);
  await until(async () => (await kit.get(`/v1/activity/${request_id}`)).ok);
  const event = await (await kit.get(`/v1/activity/${request_id}`)).json();

  const pointer = "/params/arguments/file";
  expect((await approval.json()).content).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ pointer, text: PAGE }),
      expect.objectContaining({
        pointer,
        source: "value",
        text: expect.stringMatching(/^data:text\/html;base64,#[0-9a-f]{8}$/),
      }),
    ]),
  );
  expect(event.content.map(({ text }: { text: string }) => text)).toEqual(["save", PAGE]);
});

const chat = (message: JsonObject, more: JsonObject = {}) => ({
  messages: [{ role: "assistant", ...message }],
  ...more,
});
test.each<[string, string, (name: string) => JsonObject]>([
  ["an MCP call", "mcp", (name) => ({ method: "tools/call", params: { name, arguments: {} } })],
  [
    "a call in chat",
    "llm",
    (name) => chat({ tool_calls: [{ type: "function", function: { name, arguments: "{}" } }] }),
  ],
  [
    "a call in messages",
    "llm",
    (name) => chat({ content: [{ type: "tool_use", name, input: {} }] }),
  ],
  [
    "an offered tool",
    "llm",
    (name) => chat({ content: "hi" }, { tools: [{ type: "function", function: { name } }] }),
  ],
])("an approver of %s sees the server in the name of the tool", async (_, protocol, build) => {
  const kit = await started();
  const guard = await makeGuard(kit, { gates: [{ name: "all", when: null, action: "ask" }] });
  const reply = await guard.send({ payload: build("mcp__production__delete"), protocol });
  const { findings } = (await reply.json()) as Verdict;
  const approval = await kit.get(`/v1/approvals/${findings[0]?.evidence.approval_id}`);
  const { content } = (await approval.json()) as { content: { text: string }[] };

  expect(content.map(({ text }) => text)).toContain("mcp__production__delete");
});

const ATTRIBUTES = {
  consumer: { name: "Till", tag: "shop", type: "agent" },
  model: { name: "small", provider: "local" },
};
test("an approver sees every change of an attribute that conditions read", async () => {
  const kit = await started();
  const guard = await makeGuard(kit, { gates: [{ name: "all", when: null, action: "ask" }] });
  const show = async (attributes: JsonObject): Promise<string> => {
    const reply = await guard.send({ payload: { input: "hello" }, attributes });
    const { findings } = (await reply.json()) as Verdict;
    const approval = await kit.get(`/v1/approvals/${findings[0]?.evidence.approval_id}`);
    return JSON.stringify((await approval.json()).content);
  };
  const shown = await show(ATTRIBUTES);

  const unseen: string[] = [];
  for (const pointer of listScalars(ATTRIBUTES)) {
    const changed = structuredClone(ATTRIBUTES);
    changeScalar(changed, pointer);
    if ((await show(changed)) === shown) unseen.push(pointer.join("."));
  }
  expect(unseen).toEqual([]);
});

/** Returns the steps to each string, number, boolean and empty value. */
function listScalars(value: unknown, at: readonly string[] = []): string[][] {
  const isContainer = isObject(value) || Array.isArray(value);
  if (!isContainer || Object.keys(value).length === 0) return [[...at]];
  return Object.entries(value).flatMap(([name, member]) => listScalars(member, [...at, name]));
}

function changeScalar(root: JsonObject, steps: readonly string[]): void {
  const holder = steps
    .slice(0, -1)
    .reduce<JsonObject>((value, step) => value[step] as JsonObject, root);
  const name = steps.at(-1) ?? "";
  const value = holder[name];
  if (value === BYTES) holder[name] = encodeBytes("\x02");
  else if (value === 4111111111111111) holder[name] = 5500005555555559;
  else if (typeof value === "string") holder[name] = `${value}q`;
  else if (typeof value === "number") holder[name] = value + 1;
  else if (typeof value === "boolean") holder[name] = !value;
  else holder[name] = false;
}
