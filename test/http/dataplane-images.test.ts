/** Images: endpoints, upstream addresses and forms (spec 4.4). */
import { expect, test } from "bun:test";
import {
  type Attach,
  FORM_TYPE,
  type FormPart,
  formBytes,
  makeConsumer,
} from "../kit/dataplane.ts";
import { sharedKit } from "../kit/kit.ts";
import { startUpstream } from "../kit/upstream.ts";

const kit = sharedKit();
const GENERATIONS = "/v1/images/generations";
const PNG = { created: 1, data: [{ b64_json: "aGk=" }] };

async function setUp(attach: (url: string) => Attach[], more?: Record<string, unknown>) {
  const upstream = startUpstream({ body: PNG });
  const consumer = await makeConsumer(await kit(), attach(upstream.url), more);
  return { ...consumer, upstream, [Symbol.asyncDispose]: () => upstream[Symbol.asyncDispose]() };
}

const readError = async (reply: Response) =>
  ((await reply.json()) as { error: { code: string; message: string } }).error;

const editOf = (model: string): FormPart[] => [
  ["model", model],
  ["prompt", "a hat"],
  ["image", "\u0000\u0001PNG\r\n--not the boundary\r\n", "cat.png"],
];

test.each<[string, Attach, string, string]>([
  ["OpenAI", { provider: "openai", url: "/v1" }, "/v1/images/generations", ""],
  [
    "Azure",
    { provider: "azure", url: "" },
    "/openai/deployments/dall-e-3/images/generations",
    "?api-version=2024-10-21",
  ],
  [
    "Azure with a version",
    { provider: "azure", url: "", options: { api_version: "2025-03-01-preview" } },
    "/openai/deployments/dall-e-3/images/generations",
    "?api-version=2025-03-01-preview",
  ],
  [
    "an OpenAI-compatible API",
    { provider: "openai_compatible", url: "/base" },
    "/base/images/generations",
    "",
  ],
  ["OpenRouter", { provider: "openrouter", url: "/api/v1" }, "/api/v1/images", ""],
])(
  "4.4.1 %s gets generations at its own path, with the body unchanged",
  async (_, attached, path, query) => {
    await using one = await setUp((url) => [{ ...attached, url: url + attached.url }]);
    const body = '{"model": "dall-e-3", "prompt": "a hat", "seed": 9007199254740993, "n": 1}';

    const reply = await one.post(GENERATIONS, body);

    expect(reply.status).toBe(200);
    expect(await reply.json()).toEqual(PNG);
    const [hit] = one.upstream.hits;
    expect([hit?.method, hit?.path, hit?.query]).toEqual(["POST", path, query]);
    expect(hit?.body.toString()).toBe(body);
  },
);

test("4.4.1 Azure gets its own key header and no bearer token", async () => {
  await using one = await setUp((url) => [{ provider: "azure", url }]);

  await one.post(GENERATIONS, { model: "dall-e-3", prompt: "x" });

  const headers = one.upstream.hits[0]?.headers ?? {};
  expect(headers["api-key"]).toStartWith("sk-upstream");
  expect(headers.authorization).toBeUndefined();
});

test.each<[string, Attach, string, string]>([
  ["edits at OpenAI", { provider: "openai", url: "/v1" }, "edits", "/v1/images/edits"],
  [
    "edits at Azure",
    { provider: "azure", url: "" },
    "edits",
    "/openai/deployments/m-1/images/edits",
  ],
  [
    "variations at OpenAI",
    { provider: "openai", url: "/v1" },
    "variations",
    "/v1/images/variations",
  ],
  [
    "edits at an OpenAI-compatible API",
    { provider: "openai_compatible", url: "/b" },
    "edits",
    "/b/images/edits",
  ],
  [
    "variations at OpenRouter",
    { provider: "openrouter", url: "/api/v1" },
    "variations",
    "/api/v1/images/variations",
  ],
])(
  "4.4.4 %s: the form arrives byte for byte with the client's boundary and length",
  async (_, attached, verb, path) => {
    await using one = await setUp((url) => [{ ...attached, url: url + attached.url }]);
    const parts = editOf("m-1");

    const reply = await one.form(`/v1/images/${verb}`, parts);

    expect(reply.status).toBe(200);
    const [hit] = one.upstream.hits;
    expect(hit?.path).toBe(path);
    expect(hit?.body.equals(formBytes(parts))).toBe(true);
    expect(hit?.headers["content-type"]).toBe(FORM_TYPE);
    expect(hit?.headers["content-length"]).toBe(String(formBytes(parts).length));
  },
);

test("4.4.5 a chat-only registry gets no images requests", async () => {
  await using groq = startUpstream();
  await using one = await setUp((url) => [
    { provider: "groq", url: `${groq.url}/openai/v1` },
    { provider: "openai", url: `${url}/v1` },
  ]);

  const replies = await Promise.all(
    Array.from({ length: 10 }, () => one.post(GENERATIONS, { prompt: "x" })),
  );

  expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(200));
  expect([one.upstream.hits.length, groq.hits.length]).toEqual([10, 0]);
});

test.each([
  ["JSON", "/v1/images/generations"],
  ["a form", "/v1/images/edits"],
])(
  "4.7.3 a pin in %s to a registry without images is a 400 and reaches no upstream",
  async (kind, path) => {
    await using groq = startUpstream();
    await using one = await setUp((url) => [
      { provider: "openai", url: `${url}/v1` },
      { provider: "groq", url: `${groq.url}/openai/v1` },
    ]);
    const model = "@groq/llama";

    const reply =
      kind === "JSON" ? await one.post(path, { model }) : await one.form(path, editOf(model));

    expect(reply.status).toBe(400);
    const error = await readError(reply);
    expect(error.code).toBe("invalid_request");
    expect(error.message).toContain("does not support this capability");
    expect([one.upstream.hits.length, groq.hits.length]).toEqual([0, 0]);
  },
);

test("4.4.5 an images request without a capable registry is a 503", async () => {
  await using one = await setUp((url) => [{ provider: "groq", url }]);

  const reply = await one.post(GENERATIONS, { prompt: "x" });

  expect(reply.status).toBe(503);
  expect((await readError(reply)).code).toBe("no_backend_available");
});

test.each([
  ["GET", GENERATIONS],
  ["PUT", "/v1/images/edits"],
  ["DELETE", "/v1/images/variations"],
])("4.4.2 %s %s is a 400", async (method, path) => {
  await using one = await setUp((url) => [{ provider: "openai", url }]);

  const reply = await one.call(path, { method });

  expect(reply.status).toBe(400);
  expect(one.upstream.hits.length).toBe(0);
});

test.each([
  ["POST", "/v1/images"],
  ["POST", "/v1/images/generations/extra"],
  ["POST", "/v1/images/edits/extra"],
  ["POST", "/v1/images/foo"],
  ["GET", "/v1/images/generations/extra"],
])("4.4.3 %s %s is a 404", async (method, path) => {
  await using one = await setUp((url) => [{ provider: "openai", url }]);

  const reply = await one.call(path, { method });

  expect(reply.status).toBe(404);
  expect(one.upstream.hits.length).toBe(0);
});

test.each([
  ["JSON", "/v1/images/generations"],
  ["a form", "/v1/images/edits"],
])("4.4.4 a model in %s that is not on the allow-list is a 403", async (kind, path) => {
  await using one = await setUp((url) => [
    { provider: "openai", url, models: { allowed: ["dall-e-3"] } },
  ]);
  const model = "dall-e-2";

  const reply =
    kind === "JSON" ? await one.post(path, { model }) : await one.form(path, editOf(model));

  expect(reply.status).toBe(403);
  const error = await readError(reply);
  expect(error.code).toBe("model_not_allowed");
  expect(error.message).not.toContain("dall-e-3");
  expect(one.upstream.hits.length).toBe(0);
});

test("4.4.4 a pin in a form routes, and the form keeps it", async () => {
  await using one = await setUp((url) => [
    { provider: "openai", url: `${url}/v1`, models: { allowed: ["dall-e-2"] } },
  ]);
  const parts = editOf("@openai/dall-e-2");

  const reply = await one.form("/v1/images/edits", parts);

  expect(reply.status).toBe(200);
  expect(reply.headers.get("x-selected-model")).toBe("@openai/dall-e-2");
  expect(one.upstream.hits[0]?.body.equals(formBytes(parts))).toBe(true);
});

test("4.4.1 a pin in JSON is removed, and nothing else changes", async () => {
  await using one = await setUp((url) => [{ provider: "openai", url }]);

  await one.post(GENERATIONS, '{ "n":1e2,"model" : "@openai/dall-e-3" , "x":{"model":"y"},"n":2}');

  expect(one.upstream.hits[0]?.body.toString()).toBe(
    '{ "n":1e2,"model" : "dall-e-3" , "x":{"model":"y"},"n":2}',
  );
});

test("4.4.4 a form without a model goes to Azure's default deployment, and is rejected without one", async () => {
  await using one = await setUp((url) => [{ provider: "azure", url, models: { default: "d-1" } }]);
  await using other = await setUp((url) => [{ provider: "azure", url }]);
  const parts: FormPart[] = [["image", "x", "cat.png"]];

  const fits = await one.form("/v1/images/edits", parts);
  const fails = await other.form("/v1/images/edits", parts);

  expect(fits.status).toBe(200);
  expect(one.upstream.hits[0]?.path).toBe("/openai/deployments/d-1/images/edits");
  expect(one.upstream.hits[0]?.body.equals(formBytes(parts))).toBe(true);
  expect(fails.status).toBe(400);
  expect((await readError(fails)).code).toBe("invalid_model");
});

test("4.4.4 a form of unknown length arrives byte for byte", async () => {
  await using one = await setUp((url) => [{ provider: "openai", url }]);
  const bytes = formBytes(editOf("m-1"));

  const reply = await one.call("/v1/images/edits", {
    method: "POST",
    headers: { "content-type": FORM_TYPE },
    body: new Blob([bytes]).stream(),
  });

  expect(reply.status).toBe(200);
  expect(one.upstream.hits[0]?.body.equals(bytes)).toBe(true);
});

test("4.4.4 several images, a mask and numbers in one form arrive unchanged", async () => {
  await using one = await setUp((url) => [{ provider: "openai", url }]);
  const parts: FormPart[] = [
    ["image[]", "first\u0000PNG", "a.png"],
    ["image[]", "second\u0000PNG", "b.png"],
    ["mask", "mask\u0000PNG", "mask.png"],
    ["n", "2"],
    ["metadata", '{"a":[1]}'],
    ["model", "gpt-image-1"],
  ];

  const reply = await one.form("/v1/images/edits", parts);

  expect(reply.status).toBe(200);
  expect(one.upstream.hits[0]?.body.equals(formBytes(parts))).toBe(true);
});
