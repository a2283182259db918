/** The official SDKs against the demo upstream, through a gateway. */
import { expect, test } from "bun:test";
import Anthropic, { toFile } from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { makeConsumer } from "../kit/dataplane.ts";
import { sharedKit } from "../kit/kit.ts";

const kit = sharedKit();

async function clients(more: object = {}) {
  const { url, key } = await makeConsumer(await kit(), [{ provider: "demo", url: "", ...more }]);
  return {
    openai: new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 }),
    anthropic: new Anthropic({ baseURL: url, apiKey: key, maxRetries: 0 }),
  };
}

const PNG_START = /^iVBORw0KGgo/;
const PROMPT = { model: "demo-image", prompt: "a castle gate", size: "256x256" } as const;

test("images stream: partial images, then the completed one with its usage", async () => {
  const { openai } = await clients();
  const made = await openai.images.generate({ ...PROMPT, stream: true, partial_images: 2 });
  const plain = await openai.images.generate(PROMPT);
  const events = [];
  for await (const event of made) events.push(event);

  expect(events).toMatchObject([
    { type: "image_generation.partial_image", partial_image_index: 0, size: "256x256" },
    { type: "image_generation.partial_image", partial_image_index: 1 },
    {
      type: "image_generation.completed",
      b64_json: plain.data?.[0]?.b64_json,
      usage: { total_tokens: expect.any(Number), input_tokens_details: { image_tokens: 0 } },
    },
  ]);
  expect(new Set(events.map(({ b64_json }) => b64_json)).size).toBe(3);
  for (const { b64_json, created_at } of events) {
    expect([b64_json, typeof created_at]).toEqual([expect.stringMatching(PNG_START), "number"]);
  }
});

test("an image edit streams under its own event names", async () => {
  const { openai } = await clients();
  const { data } = await openai.images.generate(PROMPT);
  const image = await toFile(Buffer.from(data?.[0]?.b64_json ?? "", "base64"), "gate.png");
  const types = [];
  const stream = await openai.images.edit({ ...PROMPT, image, stream: true, partial_images: 1 });
  for await (const { type } of stream) types.push(type);

  expect(types).toEqual(["image_edit.partial_image", "image_edit.completed"]);
});

test("files have Anthropic's shape for the Anthropic SDK, and OpenAI's for the OpenAI SDK", async () => {
  const { openai, anthropic } = await clients();
  const file = await toFile(Buffer.from("# Notes"), "notes.md", { type: "text/markdown" });

  const uploaded = await anthropic.beta.files.upload({ file });
  const found = await anthropic.beta.files.retrieveMetadata(uploaded.id);
  const listed = await anthropic.beta.files.list();
  const content = await anthropic.beta.files.download(uploaded.id);
  const other = await openai.files.retrieve(uploaded.id);
  const removed = await anthropic.beta.files.delete(uploaded.id);

  expect(uploaded).toMatchObject({
    type: "file",
    filename: "notes.md",
    mime_type: "text/markdown",
    size_bytes: 7,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    downloadable: true,
  });
  expect(found).toEqual(uploaded);
  expect(listed.data).toEqual([uploaded]);
  expect(await content.text()).toBe("# Notes");
  expect(other).toMatchObject({ object: "file", bytes: 7, filename: "notes.md" });
  expect(removed).toMatchObject({ id: uploaded.id, type: "file_deleted" });
});

const SCHEMA = {
  type: "object",
  properties: {
    name: { type: "string", pattern: "^[A-Z]{2}-\\d{4}$" },
    status: { type: "string", enum: ["open", "closed"] },
    owner: { $ref: "#/$defs/person" },
    tags: { type: "array", items: { type: "string" }, minItems: 3, uniqueItems: true },
    pair: { type: "array", prefixItems: [{ type: "integer" }, { const: "x" }], minItems: 2 },
    limit: { type: ["integer", "null"], minimum: 5 },
  },
  required: ["name", "status", "owner", "tags", "pair", "limit"],
  additionalProperties: false,
  $defs: {
    person: {
      type: "object",
      properties: { email: { type: "string", format: "email" }, manager: { type: "null" } },
      required: ["email", "manager"],
      additionalProperties: false,
    },
  },
} as const;

const EXPECTED = {
  name: expect.stringMatching(/^[A-Z]{2}-\d{4}$/),
  status: "closed",
  owner: { email: expect.stringContaining("@"), manager: null },
  tags: [expect.any(String), expect.any(String), expect.any(String)],
  pair: [expect.any(Number), "x"],
  limit: expect.any(Number),
};

const ASKED = [{ role: "user" as const, content: "A closed ticket, please." }];
const schema = SCHEMA as unknown as Record<string, unknown>;

test("structured output follows its schema in every format", async () => {
  const { openai, anthropic } = await clients();
  const model = "demo-chat";

  const chat = await openai.chat.completions.create({
    model,
    messages: ASKED,
    response_format: { type: "json_schema", json_schema: { name: "ticket", strict: true, schema } },
  });
  const response = await openai.responses.create({
    model,
    input: "A closed ticket, please.",
    text: { format: { type: "json_schema", name: "ticket", strict: true, schema } },
  });
  const format = { type: "json_schema", schema } as const;
  const max_tokens = 1000;
  const message = await anthropic.messages.create({
    model,
    max_tokens,
    messages: ASKED,
    output_config: { format },
  });
  const beta = await anthropic.post<typeof message>("/v1/messages", {
    body: { model, max_tokens, messages: ASKED, output_format: format },
  });
  const tool = await anthropic.messages.create({
    model,
    max_tokens,
    messages: ASKED,
    tools: [{ name: "ticket", input_schema: { ...schema, type: "object" } }],
    tool_choice: { type: "tool", name: "ticket" },
  });

  const texts = [message, beta].map(({ content: [block] }) =>
    block?.type === "text" ? block.text : "",
  );
  for (const text of [chat.choices[0]?.message.content, response.output_text, ...texts]) {
    const value = JSON.parse(text ?? "");
    expect(value).toEqual(EXPECTED);
    expect(new Set(value.tags).size).toBe(3);
  }
  expect(tool.content).toMatchObject([{ type: "tool_use", name: "ticket", input: EXPECTED }]);
});

test("the model list names every model of the demo, with when it was created and who owns it", async () => {
  const { openai } = await clients();

  const { data } = await openai.models.list();

  expect(data.map(({ id }) => id)).toEqual([
    "demo-chat",
    "demo-embedding",
    "demo-image",
    "demo-moderation",
    "demo-speech",
    "demo-transcribe",
  ]);
  for (const model of data) {
    expect(model).toMatchObject({ object: "model", owned_by: "demo" });
    expect(model.created).toBeGreaterThan(1_600_000_000);
  }
  expect(await openai.models.retrieve("demo-image")).toEqual(data[2] as OpenAI.Model);
});
