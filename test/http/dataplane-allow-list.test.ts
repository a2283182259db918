/** An allow-list applies to every spelling in which a request can name a model. */
import { expect, test } from "bun:test";
import { makeConsumer } from "../kit/dataplane.ts";
import { sharedKit } from "../kit/kit.ts";
import { listSdkMembers } from "../kit/sdk-members.ts";
import { type ReceivedRequest, startUpstream } from "../kit/upstream.ts";

const kit = sharedKit();

/** A consumer that may use `cheap`, and one without an allow-list, at the same upstream. */
const setUp = (() => {
  let made: ReturnType<typeof make> | undefined;
  const make = async () => {
    const upstream = startUpstream();
    const registry = { provider: "openrouter", url: `${upstream.url}/v1` };
    const limited = await makeConsumer(await kit(), [
      { ...registry, models: { allowed: ["cheap", "cheap-2", "open/*"], default: "cheap" } },
    ]);
    const free = await makeConsumer(await kit(), [registry]);
    return { upstream, limited, free };
  };
  return () => {
    made ??= make();
    return made;
  };
})();

const CHAT = "/v1/chat/completions";
const messages = '"messages":[]';

async function readError(reply: Response): Promise<[number, string | undefined]> {
  const { error } = (await reply.json()) as { error?: { code: string } };
  return [reply.status, error?.code];
}

async function hitsDuring(work: () => Promise<unknown>): Promise<ReceivedRequest[]> {
  const { upstream } = await setUp();
  const before = upstream.hits.length;
  await work();
  return upstream.hits.slice(before);
}

test.each([
  ["another case", '"Model"'],
  ["all capitals", '"MODEL"'],
  ["an escaped letter in another case", '"\\u004dodel"'],
  ["a full-width letter", '"ｍodel"'],
  ["an escaped full-width letter", '"\\uff4dodel"'],
  ["a mathematical letter", '"\u{1d426}odel"'],
  ["an escaped mathematical letter", '"\\ud835\\udc26odel"'],
  ["modelId", '"modelId"'],
  ["modelId in another case", '"MODELID"'],
])(
  "a member that reads as `model` in %s is rejected, with or without an allow-list",
  async (_, name) => {
    const { limited, free } = await setUp();
    const hits = await hitsDuring(async () => {
      for (const consumer of [limited, free]) {
        for (const body of [
          `{"model":"cheap",${name}:"expensive",${messages}}`,
          `{${name}:"expensive",${messages}}`,
        ]) {
          expect(await readError(await consumer.post(CHAT, body))).toEqual([400, "invalid_model"]);
        }
      }
    });

    expect(hits).toHaveLength(0);
  },
);

test("an escaped `model` is the same member, and repeats are made equal", async () => {
  const { limited } = await setUp();

  const hits = await hitsDuring(async () => {
    const hidden = `{"model":"cheap","mod\\u0065l":"expensive",${messages}}`;
    expect(await readError(await limited.post(CHAT, hidden))).toEqual([403, "model_not_allowed"]);
    await limited.post(CHAT, `{"mod\\u0065l":"expensive","model":"cheap",${messages}}`);
  });

  expect(hits).toHaveLength(1);
  expect(hits[0]?.body.toString()).not.toContain("expensive");
});

/** A fusion that names all of its models. */
const FUSION = { id: "fusion", model: "cheap", analysis_models: ["cheap-2"] };

test.each([
  ["models", { models: ["cheap", "expensive"] }],
  ["models with a pin", { models: ["@openrouter/expensive"] }],
  ["models with a preset that fits a pattern", { models: ["open/a@preset/any"] }],
  ["models in another case", { Models: ["expensive"] }],
  ["models with a long s", { modelſ: ["expensive"] }],
  ["a list of models that begins like a pattern", { model: "open/a,expensive" }],
  ["models with a list that begins like a pattern", { models: ["open/a,expensive"] }],
  ["a path that begins like a pattern", { model: "open/../expensive" }],
  ["such a path with a backslash", { models: ["open/a\\..\\..\\expensive"] }],
  ["such a path with escapes", { model: "open/%2E./expensive" }],
  ["such a path with an escaped slash", { models: ["open/a%2f..%2F..%5cexpensive"] }],
  ...["\t", "\n", "\u00ad", "\u200b", "%252e", ";", "\uff0e", "\u2025", "?", "#", "|", "\0"].map(
    (character) =>
      [
        `a name that fits a pattern with ${JSON.stringify(character)}`,
        { model: `open/.${character}./expensive` },
      ] as const,
  ),
  ["two dots before a space", { models: ["open/.. /expensive"] }],
  ["fallbacks", { fallbacks: ["expensive"] }],
  ["fallbacks as objects", { fallbacks: [{ model: "expensive" }] }],
  ["fallbacks by model", { fallbacks: [{ cheap: ["expensive"] }] }],
  ["fallbacks by a model called function", { fallbacks: [{ function: ["expensive"] }] }],
  ["fallbacks by a model called input_schema", { fallbacks: { input_schema: "expensive" } }],
  ["fallbacks with a Kelvin sign", { "fallbac\u212as": ["expensive"] }],
  ["a preset", { preset: "any" }],
  ["extra_body", { extra_body: { model: "expensive" } }],
  ["models in extra_body", { extra_body: { MODELS: ["expensive"] } }],
  ["a plugin", { plugins: [{ id: "fusion", analysis_models: ["expensive"] }] }],
  ["a tool", { tools: [{ type: "image_generation", model: "expensive" }] }],
  ["a server tool", { tools: [{ type: "openrouter:x", parameters: { model: "expensive" } }] }],
  [
    "a tool with a second type",
    { tools: [{ type: "function", Type: "x", parameters: { model: "expensive" } }] },
  ],
  ["fallbacks for a long context", { context_window_fallbacks: [{ cheap: ["expensive"] }] }],
  ["fallbacks for a refused prompt", { content_policy_fallbacks: [{ cheap: ["expensive"] }] }],
  ["LiteLLM's fallback by model", { context_window_fallback_dict: { cheap: "expensive" } }],
  [
    "LiteLLM's model_group_alias",
    { router_settings_override: { model_group_alias: { cheap: "expensive" } } },
  ],
  ["LiteLLM's model_alias_map", { model_alias_map: { cheap: { model: "expensive" } } }],
  ["LiteLLM's deployment_id", { deployment_id: "expensive" }],
  ["LiteLLM's engine", { engine: "expensive" }],
  ["engine in extra_body", { extra_body: { Engine: "expensive" } }],
  ["engine in nested extra_body", { extra_body: { extra_body: { engine: "expensive" } } }],
  [
    "engine in extra_body of litellm_params",
    { litellm_params: { extra_body: { engine: "expensive" } } },
  ],
  ["engine in a list of an unknown member", { unknown: [{ Engine: "expensive" }] }],
  ["a list of names", { model_list: ["expensive"] }],
  ["Yandex's modelUri", { extra_body: { modelUri: "gpt://b1g/expensive" } }],
  ["a name with a hyphen", { "model-name": "expensive" }],
  ["a name that a parser in C reads as model", { "model\0x": "expensive" }],
  ["such a name in extra_body", { extra_body: { "Engine\0": "expensive" } }],
  ["LiteLLM's stored prompt", { prompt_id: "cheap" }],
  ["a stored prompt in extra_body", { extra_body: { prompt_id: "cheap" } }],
  ["Together's safety_model", { safety_model: "expensive" }],
  ["LM Studio's draft_model", { draft_model: "expensive" }],
  ["SGLang's lora_path", { extra_body: { lora_path: ["expensive"] } }],
  ["TensorRT's lora_request", { lora_request: { lora_name: "expensive" } }],
  ["an adapter", { adapter_id: "expensive" }],
  ["OpenRouter's advisor without a model", { tools: [{ type: "openrouter:advisor" }] }],
  ["OpenRouter's fusion tool", { tools: [{ type: "openrouter:fusion", Type: "function" }] }],
  ["OpenRouter's fusion plugin", { plugins: [{ id: "fusion" }] }],
  ["the default panel of a fusion", { plugins: [{ id: "fusion", model: "cheap" }] }],
  ["the default judge of a fusion", { plugins: [{ id: "fusion", analysis_models: ["cheap"] }] }],
  ["the empty panel of a fusion", { plugins: [{ ...FUSION, analysis_models: [] }] }],
  ["a fusion plugin with parameters", { plugins: [{ id: "fusion", parameters: FUSION }] }],
  ["a fusion tool without parameters", { tools: [{ ...FUSION, type: "openrouter:fusion" }] }],
  [
    "an advisor whose tools name a model",
    { tools: [{ type: "openrouter:advisor", parameters: { tools: [{ model: "cheap" }] } }] },
  ],
  ["llama.cpp's adapter by number", { lora: [{ id: 0, scale: 1 }] }],
  ["Azure's agent", { agent_reference: { type: "agent_reference", name: "any" } }],
  ["Azure's agent by its type", { agent: { type: "agent_reference", name: "any" } }],
  ["Azure's agent in another case", { agent: { Type: "Agent_Reference", name: "any" } }],
  [
    "Azure's agent with two names",
    { agent: { type: "agent_reference", name: "cheap", Name: "x" } },
  ],
  ["a fusion tool in another case", { tools: [{ type: "function", Type: "openrouter:fusion" }] }],
  [
    "a fusion tool with two parameters",
    {
      tools: [
        {
          type: "openrouter:fusion",
          parameters: { model: "cheap", analysis_models: ["cheap"] },
          Parameters: {},
        },
      ],
    },
  ],
  [
    "Azure's agent whose name is an object",
    { agent: { type: "agent_reference", name: { toString: 1 } } },
  ],
  ["a tool whose type is an object", { tools: [{ type: { toString: 1 }, model: "expensive" }] }],
  ["a fusion plugin in another case", { plugins: [{ id: "web", ID: "fusion" }] }],
  ["Together's image_loras", { image_loras: [{ path: "https://example.com/a", scale: 1 }] }],
  ["model_id", { model_id: "expensive" }],
  ["deployment_id in extra_body", { extra_body: { deployment_id: "expensive" } }],
  [
    "LiteLLM's model_list",
    { model_list: [{ model_name: "cheap", litellm_params: { model: "expensive" } }] },
  ],
  [
    "LiteLLM's router_settings_override",
    { router_settings_override: { fallbacks: ["expensive"] } },
  ],
  [
    "LiteLLM's user_config",
    { user_config: { model_list: [{ litellm_params: { model: "expensive" } }] } },
  ],
  ["providerOptions", { providerOptions: { gateway: { models: ["expensive"] } } }],
  [
    "a data source",
    { data_sources: [{ parameters: { embedding_dependency: { deployment_name: "expensive" } } }] },
  ],
  ["compound_custom", { compound_custom: { models: { answering_model: "expensive" } } }],
  [
    "Vertex's manual routing",
    { generationConfig: { routingConfig: { manualMode: { modelName: "expensive" } } } },
  ],
  [
    "Vertex's manual routing with underscores",
    { generation_config: { routing_config: { manual_mode: { model_name: "expensive" } } } },
  ],
  [
    "Vertex's automatic routing",
    { generationConfig: { routingConfig: { autoMode: { modelRoutingPreference: 2 } } } },
  ],
  [
    "Vertex's automatic routing by default",
    { generationConfig: { routingConfig: { autoMode: {} } } },
  ],
  [
    "Vertex's ranking of retrieved text",
    { tools: [{ retrieval: { vertexRagStore: { ranking: { modelName: "expensive" } } } }] },
  ],
])("a model that is not allowed in %s is a 403 under an allow-list", async (_, more) => {
  const { limited, free } = await setUp();
  const body = { model: "cheap", messages: [], ...more };

  const hits = await hitsDuring(async () => {
    const reply = await limited.post(CHAT, body);
    expect(await readError(reply)).toEqual([403, "model_not_allowed"]);
    expect((await free.post(CHAT, body)).status).toBe(200);
  });

  expect(hits.map((hit) => JSON.parse(hit.body.toString()))).toEqual([body]);
});

/** Members of the SDKs that select no model: parts of responses, of tuning jobs, and settings beside a model. */
const NO_SELECTORS = [
  ...["modelVersion", "modelStatus", "modelStage", "modelTurn", "fallback_has_prefill_claim"],
  ...["fallback_credit", "fallback_credit_token"],
  ...["tunedModelDisplayName", "tunedModelInfo", "tunedTeacherModelSource"],
  ...["preTunedModelCheckpointId", "partnerModelTuningSpec"],
  ...["modelRoutingPreference", "modelArmorConfig", "modelPreferences", "engine"],
];

test("a model in any member that an official SDK names after models is a 403, at any depth", async () => {
  const { limited } = await setUp();
  const named = (await listSdkMembers()).filter(
    ({ name, type }) =>
      !NO_SELECTORS.includes(name) &&
      !type.includes("=>") &&
      (/model|fallback|deployment|engine/i.test(name) ||
        /Models?\b|gpt-|claude-|gemini-/.test(type)),
  );
  const names = new Set(named.map(({ name }) => name));
  expect(names.size).toBeGreaterThan(15);

  const failed: string[] = [];
  for (const name of names) {
    const value = { [name]: "expensive" };
    const bodies = [
      { unknown_member: value },
      { unknown_member: { deeper: [value] } },
      { tools: [{ type: "unknown", ...value }] },
      {
        input: [{ type: "additional_tools", role: "developer", tools: [{ type: "x", ...value }] }],
      },
      { messages: [{ role: "user", content: [{ type: "x", TOOLS: [value] }] }] },
      ...(name === "model" ? [] : [value]),
    ];
    for (const body of bodies) {
      const reply = await limited.post(CHAT, { model: "cheap", messages: [], ...body });
      const [status, code] = await readError(reply);
      if (status !== 403 || code !== "model_not_allowed") failed.push(JSON.stringify(body));
    }
  }

  expect(failed).toEqual([]);
});

test.each([
  "mo_del",
  "MODEL_",
  "mod_els",
  "fall-backs",
  "__model__id",
  "pre_set",
  "draft_mo--del_s",
])(
  "the member %s of the body is a 403: some parsers ignore the separators in a name",
  async (name) => {
    const { limited } = await setUp();

    const reply = await limited.post(CHAT, { model: "cheap", messages: [], [name]: "expensive" });

    expect(await readError(reply)).toEqual([403, "model_not_allowed"]);
  },
);

test.each(["Tools", "ｔools", "tool\u017f", "\\uff54ools", "\\u0054ools", "\\ud835\\udc2dools"])(
  "a model of the member %s of a message is a 403",
  async (name) => {
    const { limited } = await setUp();
    const message = `{"role":"user","content":"x","${name}":[{"model":"expensive"}]}`;

    const reply = await limited.post(CHAT, `{"model":"cheap","messages":[${message}]}`);

    expect(await readError(reply)).toEqual([403, "model_not_allowed"]);
  },
);

test.each([
  ["extra_body", '{"model":"expensive","model":"cheap"}'],
  ["tools", '[{"model":"expensive","mod\\u0065l":"cheap"}]'],
  ["fallbacks", '[{"model":"expensive","model":"cheap"}]'],
])(
  "a model that is named twice in one object of %s is rejected under an allow-list",
  async (name, value) => {
    const { limited } = await setUp();

    const hits = await hitsDuring(async () => {
      const reply = await limited.post(CHAT, `{"model":"cheap",${messages},"${name}":${value}}`);
      expect(await readError(reply)).toEqual([400, "invalid_request"]);
    });

    expect(hits).toHaveLength(0);
  },
);

const SPEECH = "/v1/audio/speech";
const RESPONSES = "/v1/responses";

test.each([
  [SPEECH, '"voice":{"model":"expensive"}'],
  [SPEECH, '"voice":{"fallbacks":["expensive"]},"voice":"alloy"'],
  [SPEECH, '"Voice":{"model":"expensive"}'],
  [SPEECH, '"response_format":{"model":"expensive"}'],
  [RESPONSES, '"conversation":{"id":"c","models":["expensive"]}'],
  [RESPONSES, '"previous_response_id":{"model":"expensive"}'],
])("a model in a member that routing reads is a 403 at %s: %s", async (path, member) => {
  const { limited } = await setUp();

  const hits = await hitsDuring(async () => {
    const reply = await limited.post(path, `{"model":"cheap","input":"x",${member}}`);
    expect(await readError(reply)).toEqual([403, "model_not_allowed"]);
  });

  expect(hits).toHaveLength(0);
});

test("tools of more than 100,000 values are rejected: parsing them would block others", async () => {
  const { limited } = await setUp();
  const tools = (count: number) => [{ model: "cheap", a: Array(count).fill(0) }];

  const reply = await limited.post(CHAT, { model: "cheap", messages: [], tools: tools(100_001) });

  expect(await readError(reply)).toEqual([400, "invalid_request"]);
  const split = { model: "cheap", messages: [], a: tools(60_000), b: tools(60_000) };
  const rejected = await limited.post(CHAT, split);
  expect(rejected.status).toBe(400);
  expect(await rejected.text()).toContain("more than 100000 values");
  const fewer = { model: "cheap", messages: [], tools: tools(90_000) };
  expect((await limited.post(CHAT, fewer)).status).toBe(200);
});

test("additional models that are allowed pass, and so do members that only resemble a model", async () => {
  const { limited } = await setUp();
  const properties = { model: { type: "string", enum: ["expensive"] } };
  const bodies = [
    { models: ["cheap", "cheap-2", "open/a"] },
    { plugins: [FUSION], max_fallbacks: 3 },
    { tools: [{ type: "openrouter:fusion", parameters: FUSION }] },
    { tools: [{ type: "openrouter:advisor", parameters: { model: "cheap" } }] },
    { fallbacks: [{ model: "cheap-2" }], route: "fallback", transforms: [] },
    { provider: { order: ["expensive"] }, plugins: [{ id: "web", engine: "exa" }] },
    { plugins: [{ id: "file-parser", pdf: { engine: "mistral-ocr" } }] },
    { tools: [{ type: "openrouter:web_search", parameters: { engine: "exa" } }] },
    { tools: [{ retrieval: { vertexAiSearch: { engine: "projects/p/engines/e" } } }] },
    { extra_body: { web_search_options: { engine: "exa" } } },
    { unknown: { search_engine: "exa", engines: 1 } },
    { extra_body: { google: { thinking_config: { level: "low" } } } },
    { tools: [{ type: "function", function: { name: "f", parameters: { properties } } }] },
    { tools: [{ name: "f", input_schema: { type: "object", properties } }] },
    { tools: [{ type: "function", name: "f", parameters: { default: { model: "any" } } }] },
    { messages: [{ role: "user", content: '{"Model": "expensive"}', model: "expensive" }] },
    { functions: [{ name: "f", parameters: { properties } }], metadata: { model: "expensive" } },
    {
      response_format: { type: "json_schema", json_schema: { name: "f", schema: { properties } } },
    },
    { structured_outputs: { json: { $defs: { CarModel: { properties } }, properties } } },
    { response_format: { type: "json", value: { anyOf: [{ properties }] } } },
    { tools: [{ name: "f", input_schema: {}, input_examples: [{ model: "any" }] }] },
    { labels: { model: "any" }, requestMetadata: { model: "any" } },
    { messages: [{ content: [{ type: "tool_use", input: { tools: [{ model: "any" }] } }] }] },
    {
      messages: [
        { content: [{ type: "mcp_list_tools", tools: [{ input_schema: { properties } }] }] },
      ],
    },
  ].map((more) => ({ model: "cheap", messages: [], ...more }));

  const hits = await hitsDuring(async () => {
    for (const body of bodies) expect((await limited.post(CHAT, body)).status).toBe(200);
  });

  expect(hits.map((hit) => JSON.parse(hit.body.toString()))).toEqual(bodies);
});

test("a Gemini request cannot name another model than its path, except in schemas", async () => {
  const { limited } = await setUp();
  const parameters = { type: "OBJECT", properties: { model: { type: "STRING" } } };
  const post = (more: object) =>
    limited.post("/v1beta/models/cheap:generateContent", { contents: [], ...more });
  const routingConfig = { manualMode: { modelName: "expensive" } };

  const rejected = await post({ generationConfig: { routingConfig } });
  const passed = await post({
    generationConfig: {
      responseSchema: parameters,
      routingConfig: { manualMode: { modelName: "cheap-2" } },
    },
    tools: [{ functionDeclarations: [{ name: "f", parameters }] }],
  });

  expect(rejected.status).toBe(403);
  expect(passed.status).not.toBe(403);
});

test.each(["generateContentRequest", "generate_content_request"])(
  "the %s of a token count cannot name another model",
  async (name) => {
    const { upstream } = await setUp();
    const limited = await makeConsumer(await kit(), [
      { provider: "google", url: `${upstream.url}/v1beta`, models: { allowed: ["cheap"] } },
    ]);
    const args = { model: "any" };
    const contents = [{ role: "model", parts: [{ functionCall: { name: "f", args } }] }];
    const routingConfig = { manualMode: { modelName: "expensive" } };
    const post = async (more: object) => {
      const body = { [name]: { contents, ...more } };
      return (await limited.post("/v1beta/models/cheap:countTokens", body)).status;
    };

    expect(await post({ model: "models/expensive" })).toBe(403);
    expect(await post({ Model: "models/expensive" })).toBe(403);
    expect(await post({ model: "models/cheap", generationConfig: { routingConfig } })).toBe(403);
    expect(await post({ model: "models/cheap" })).toBe(200);
  },
);

test("the query string cannot name a model", async () => {
  const { limited } = await setUp();

  for (const query of [
    ...["model=expensive", "a=1&MODEL=expensive", "mod%65l=x", "model[]=x"],
    ...["a=1;model=expensive", "model%00x=expensive", "model%00%ff=expensive"],
    ...["mod%65l%00%ff=expensive", "mod%65l%=expensive", "mod%65l[%ff]=expensive"],
  ]) {
    const reply = await limited.post(`/v1/images/generations?${query}`, { model: "cheap" });
    expect(await readError(reply)).toEqual([400, "invalid_model"]);
  }
});

test("under an allow-list, the query string cannot name a model in any spelling", async () => {
  const { limited, free } = await setUp();

  for (const query of [
    ...["models=expensive", "fallbacks[0]=expensive", "extra_body[model]=expensive"],
    ...["deployment_id=expensive", "extra_body%5Bmodel%5D=expensive", "lora_path=expensive"],
    ...["engine=expensive", "litellm_params[extra_body]=1", "model_list=expensive"],
    ...["mod%65ls[%ff]=expensive", "fallb%61cks[]%=expensive", "extra_body[mod%65l][%]=expensive"],
  ]) {
    const path = `/v1/images/generations?${query}`;
    expect((await limited.post(path, { model: "cheap" })).status).toBe(400);
    expect((await free.post(path, { model: "cheap" })).status).toBe(200);
  }
  expect((await limited.post(`${CHAT}?beta=true&api-version=1`, CHEAP)).status).toBe(200);
});

const CHEAP = { model: "cheap", messages: [] };
