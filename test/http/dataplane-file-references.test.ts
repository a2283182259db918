/** With `files_scope: own`, file ids inside request bodies must be the consumer's own. */
import { expect, test } from "bun:test";
import { findReferencedObjects } from "../../src/dataplane/objects/find-referenced-objects.ts";
import { addConsumer, FORM_TYPE, makeConsumer } from "../kit/dataplane.ts";
import { sharedKit } from "../kit/kit.ts";
import { listSdkMembers } from "../kit/sdk-members.ts";
import { startUpstream } from "../kit/upstream.ts";

const kit = sharedKit();

/** A consumer with a file of its own, another with another file, and one that shares all files. */
const setUp = (() => {
  let made: ReturnType<typeof make> | undefined;
  const make = async () => {
    const start = (prefix: string) =>
      startUpstream(({ path }, n) => ({
        body: path === "/v1/files" ? { id: `${prefix}${n}` } : {},
      }));
    const first = start("file-a");
    const second = start("file-b");
    const mine = await makeConsumer(
      await kit(),
      [
        { provider: "openai", url: `${first.url}/v1`, name: "first" },
        { provider: "openai", url: `${second.url}/v1`, name: "second" },
      ],
      { files_scope: "own" },
    );
    const registries = mine.registries.map(({ id }) => ({ id }));
    const other = await addConsumer(await kit(), mine.gateway, [], {
      registries,
      files_scope: "own",
    });
    const shared = await addConsumer(await kit(), mine.gateway, [], { registries });
    const upload = async (consumer: typeof mine, registry: string) => {
      const parts = [["file", "x", "a.txt"]] as [string, string, string][];
      const reply = await consumer.form("/v1/files", parts, { "x-ag-pin": registry });
      return ((await reply.json()) as { id: string }).id;
    };
    return {
      mine,
      shared,
      own: await upload(mine, "second"),
      own_at_first: await upload(mine, "first"),
      others: await upload(other, "second"),
      chats: () => [...first.hits, ...second.hits].filter(({ path }) => !path.includes("/files")),
    };
  };
  return () => {
    made ??= make();
    return made;
  };
})();

const message = (part: object) => ({ messages: [{ role: "user", content: [part] }] });
const CHAT = "/v1/chat/completions";
const RESPONSES = "/v1/responses";
const GEMINI = "/v1beta/models/m:generateContent";
/** A Gemini request names its model in the path. */
const MODEL: Record<string, object> = { [CHAT]: { model: "m" }, [RESPONSES]: { model: "m" } };

const REFERENCES: [string, string, (id: string) => object][] = [
  ["a chat file part", CHAT, (id) => message({ type: "file", file: { file_id: id } })],
  [
    "an input_file",
    RESPONSES,
    (id) => ({ input: [{ content: [{ type: "input_file", file_id: id }] }] }),
  ],
  [
    "an input_image",
    RESPONSES,
    (id) => ({ input: [{ content: [{ type: "input_image", file_id: id }] }] }),
  ],
  [
    "a document source",
    CHAT,
    (id) => message({ type: "document", source: { type: "file", file_id: id } }),
  ],
  [
    "Moonshot's address of a video",
    CHAT,
    (id) => message({ type: "video_url", video_url: { url: `ms://${id}` } }),
  ],
  ["StepFun's address of an image", CHAT, (id) => message({ image_url: `stepfile://${id}` })],
  [
    "DashScope's system message",
    CHAT,
    (id) => ({ messages: [{ role: "system", content: `fileid://${id},fileid://${id}` }] }),
  ],
  ["a container upload", CHAT, (id) => message({ type: "container_upload", file_id: id })],
  [
    "a code interpreter",
    RESPONSES,
    (id) => ({
      tools: [{ type: "code_interpreter", container: { type: "auto", file_ids: [id] } }],
    }),
  ],
  ["an attachment", CHAT, (id) => ({ messages: [], attachments: [{ file_id: id }] })],
  [
    "an image",
    "/v1/images/generations",
    (id) => ({ images: [{ file_id: id }], mask: { file_id: id } }),
  ],
  [
    "an input_image_mask",
    RESPONSES,
    (id) => ({ tools: [{ type: "image_generation", input_image_mask: { file_id: id } }] }),
  ],
  ...["metadata", "arguments", "text", "variables", "function_call"].map(
    (name): [string, string, (id: string) => object] => [
      `a variable called ${name}`,
      RESPONSES,
      (id) => ({ prompt: { id: "p", variables: { [name]: { args: { file_id: id } } } } }),
    ],
  ),
  ["a file of Open WebUI", CHAT, (id) => ({ messages: [], files: [{ type: "file", id }] })],
  ["a library of Mistral", CHAT, (id) => ({ messages: [], tools: [{ library_ids: [id] }] })],
  ["another case", CHAT, (id) => message({ type: "file", File: { FILE_ID: id } })],
  ["a hyphen", CHAT, (id) => message({ type: "file", file: { "file-id": id } })],
  ["an object with the id", CHAT, (id) => message({ type: "file", file: { file_id: { id } } })],
  ["a name with a NUL", CHAT, (id) => message({ type: "file", file: { "file_id\0x": id } })],
  [
    "an id member with a NUL",
    CHAT,
    (id) => ({ messages: [], files: [{ type: "file", "id\0xxxx": id }] }),
  ],
  ["a long s", CHAT, (id) => ({ messages: [], "file_id\u017f": [id] })],
  [
    "a body that claims to be a citation",
    CHAT,
    (id) => ({ type: "file_citation", ...message({ type: "file", file: { file_id: id } }) }),
  ],
  [
    "a body that claims to be a tool call",
    RESPONSES,
    (id) => ({ type: "tool_use", input: [{ content: [{ type: "input_file", file_id: id }] }] }),
  ],
  [
    "a message that claims to be a citation",
    CHAT,
    (id) => ({
      messages: [{ type: "file_path", content: [{ type: "file", file: { file_id: id } }] }],
    }),
  ],
  [
    "a part with a second type",
    CHAT,
    (id) => message({ type: "file_citation", Type: "document", file_id: id }),
  ],
  [
    "a nested tool result",
    CHAT,
    (id) =>
      message({ type: "tool_result", content: [{ type: "document", source: { file_id: id } }] }),
  ],
];

const status = async (reply: Response) => [
  reply.status,
  ((await reply.json()) as { error?: { code: string } }).error?.code,
];

/** Files and caches of the Gemini API, of which the gateway knows no owner. */
const GEMINI_FILE = "https://generativelanguage.googleapis.com/v1beta/files/abc-123";
const part = (file: object) => ({ contents: [{ role: "user", parts: [file] }] });
const tool = (definition: object) => ({ contents: [], tools: [definition] });
const MTLS_FILE = GEMINI_FILE.replace("language.", "language.mtls.");

test.each<[string, string, object]>([
  ["a file URI", GEMINI, part({ fileData: { fileUri: GEMINI_FILE } })],
  ["a file URI with underscores", GEMINI, part({ file_data: { file_uri: "files/abc-123" } })],
  [
    "a file URI in a function result",
    GEMINI,
    part({ functionResponse: { response: {}, parts: [{ fileData: { fileUri: GEMINI_FILE } }] } }),
  ],
  [
    "a file URI with an escaped host",
    GEMINI,
    part({ fileData: { fileUri: GEMINI_FILE.replace("l", "%6c") } }),
  ],
  [
    "a file URI that is not a string",
    GEMINI,
    part({ fileData: { fileUri: [GEMINI_FILE, { toString: 1 }] } }),
  ],
  ["a file URI in capitals", GEMINI, part({ fileData: { fileUri: GEMINI_FILE.toUpperCase() } })],
  ["cachedContent", GEMINI, { contents: [], cachedContent: "cachedContents/abc" }],
  ["cached_content", CHAT, { messages: [], extra_body: { google: { cached_content: "x" } } }],
  ["a file URI of another host", GEMINI, part({ fileData: { fileUri: MTLS_FILE } })],
  ["a chat image", CHAT, message({ type: "image_url", image_url: { url: GEMINI_FILE } })],
  [
    "a chat image with an escaped host",
    CHAT,
    message({ type: "image_url", image_url: { url: GEMINI_FILE.replace("l", "%6c") } }),
  ],
  [
    "a chat image with a mathematical letter in its host",
    CHAT,
    message({ type: "image_url", image_url: { url: GEMINI_FILE.replace("g", "\u{1d420}") } }),
  ],
  [
    "a chat image with an escaped host after a long user name",
    CHAT,
    message({ image_url: { url: GEMINI_FILE.replace("gen", `${"a".repeat(80)}@g%65n`) } }),
  ],
  ["a chat image without a host", CHAT, message({ type: "image_url", image_url: "files/abc" })],
  ["a chat image by its path", CHAT, message({ image_url: { url: "v1beta/files/abc" } })],
  ["a chat image by its absolute path", CHAT, message({ image_url: { url: "/files/abc" } })],
  ["a chat image by an escaped path", CHAT, message({ image_url: { url: "files%2Fabc" } })],
  ["a chat image by an escaped name", CHAT, message({ image_url: { url: "%66iles/abc" } })],
  ["a chat file", CHAT, message({ type: "file", file: { file_data: "files/abc" } })],
  ["a message's document", CHAT, message({ type: "document", source: { url: GEMINI_FILE } })],
  ["an input file", RESPONSES, { input: [{ type: "input_file", file_url: GEMINI_FILE }] }],
  ["a file search", GEMINI, tool({ fileSearch: { fileSearchStoreNames: ["fileSearchStores/a"] } })],
  ["a corpus", GEMINI, tool({ retrieval: { vertexRagStore: { ragCorpora: ["a"] } } })],
  ["a data store", GEMINI, tool({ retrieval: { vertex_ai_search: { engine: "a" } } })],
])("%s of Gemini is a 404, and a public address is not", async (_, path, body) => {
  const { mine, shared } = await setUp();

  expect((await mine.post(path, { ...MODEL[path], ...body })).status).toBe(404);
  expect((await shared.post(path, { ...MODEL[path], ...body })).status).not.toBe(404);
  const fileUri = "https://files.example/files/abc-123";
  expect((await mine.post(GEMINI, part({ fileData: { fileUri } }))).status).not.toBe(404);
  const image = message({
    type: "image_url",
    image_url: { url: "data:image/png;base64,files/abc=" },
  });
  const text = message({ type: "text", text: `What is ${GEMINI_FILE}?` });
  const escaped = '{"model":"m","messages":[{"content":[{"image_url":"files\\/abc"}]}]}';
  expect((await mine.post(CHAT, escaped)).status).toBe(404);
  for (const body of [image, text]) {
    expect((await mine.post(CHAT, { model: "m", ...body })).status).not.toBe(404);
  }
});

test.each([
  ["labels of Gemini's host", `https://${"generativelanguage.".repeat(20_000)}x/files/a`],
  ["labels beyond ASCII", `https://${"é.".repeat(200_000)}/generativelanguage`],
  ["a tab in its scheme", `ht\ttps:${"é.".repeat(200_000)}/generativelanguage`],
])(
  "an address with a long host of %s is a 404 within 2 s",
  async (_, url) => {
    const { mine } = await setUp();

    const reply = await mine.post(CHAT, { model: "m", ...message({ type: "x", x_url: { url } }) });

    expect(reply.status).toBe(404);
  },
  2_000,
);

test.each([
  [
    "letters of other scripts",
    Array.from({ length: 500 }, (_, at) => String.fromCodePoint(0x4e00 + at * 37)).join(""),
  ],
  ["Punycode", `xn--${"b".repeat(496)}`],
  ["Punycode in capitals, in a later label", `a.XN--${"b".repeat(494)}`],
])(
  "a body with many international host names in %s is a 400, because parsing them blocks others",
  async (_, host) => {
    const { mine } = await setUp();
    const ask = (count: number) => {
      const part = { type: "image_url", image_url: { url: `https://${host}/a.png` } };
      return mine.post(CHAT, {
        model: "m",
        messages: [{ role: "user", content: Array(count).fill(part) }],
      });
    };

    const replies = [await ask(30), await ask(40)];

    expect(replies.map(({ status }) => status)).toEqual([200, 400]);
  },
);

test("12 MB of text that may begin a reference at every character is searched within 150 ms", () => {
  const texts = ["://", "a", "container", String.raw`url\":`].map((each) => {
    const content = each.repeat(12_000_000 / each.length);
    return Buffer.from(`{"model":"m","messages":[{"role":"user","content":"${content}"}]}`);
  });
  const before = process.cpuUsage();

  for (const text of texts) expect(findReferencedObjects(text)).toEqual([]);

  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000 / texts.length).toBeLessThan(150);
});

const OPENAI_FILE = "file-AbCdEfGhIjKlMnOpQrStUv";
const STORED = [
  ...[OPENAI_FILE, "file_011CNha8iCJcU1wXNR6q4V8w", "vs_68ab12cd34ef56ab78cd90ef"],
  ...["skill_01AbCdEfGhIjKlMnOpQrStUv", "voice_68ab12cd34ef56ab78cd90ef"],
  ...["cachedContents/abc", "fileSearchStores/abc", GEMINI_FILE],
];
/** Members of SDKs that are text, or belong to the caller. */
const NO_REFERENCES =
  /^(text|content|input|output|prompt|instructions|system|arguments|description|title|name|filename|query|thinking|reasoning|stdout|stderr|logs|custom_id|metadata|input_examples)$/;

test("the id of a stored object is a reference in any member that an official SDK defines", async () => {
  const names = new Set((await listSdkMembers()).map(({ name }) => name));
  const find = (body: object) => findReferencedObjects(Buffer.from(JSON.stringify(body)));

  for (const id of STORED) {
    const missed = [...names].filter((name) =>
      [{ [name]: id }, { tools: [{ [name]: [id] }] }, message({ [name]: id })].some(
        (body) => find(body).length === 0,
      ),
    );
    expect(missed.filter((name) => !NO_REFERENCES.test(name))).toEqual([]);
  }
});

test("ids in unknown members, and in one of another spelling, are a 404; in text, paths and data of the caller they are not", async () => {
  const { mine } = await setUp();
  const post = async (body: object) =>
    (await mine.post(CHAT, { model: "m", messages: [], ...body })).status;

  for (const body of [
    { background: OPENAI_FILE },
    { tools: [{ ragFileIds: ["12"] }] },
    message({ type: "x", imageUri: GEMINI_FILE }),
    { extra_body: { google: { cache: "cachedContents/abc" } } },
    { vectorStoreIds: ["x"] },
    { modalities: ["audio"], audio: { voice: { id: "voice_1234" } } },
    { container: { skills: [{ type: "custom", skill_id: "skill_01AbCdEfGhIjKlMnOpQrStUv" }] } },
  ]) {
    expect(await post(body)).toBe(404);
  }
  for (const body of [
    { messages: [{ role: "user", content: OPENAI_FILE }] },
    { tools: [{ type: "function", function: { name: "file-manager_of_the_company" } }] },
    { user_profile_id: "x", path: "files/readme.txt" },
    { tools: [{ name: "f", input_schema: {}, input_examples: [{ file_id: "x" }] }] },
    { tools: [{ type: "function", function: { parameters: { enum: ["files/src"] } } }] },
    { messages: [{ tool_calls: [{ function: { arguments: { file_id: "x" } } }] }] },
    { messages: [{ type: "apply_patch_call", operation: { path: "files/Makefile" } }] },
    message({ type: "bash_code_execution_result", stdout: `${OPENAI_FILE}\n` }),
    { audio: { voice: "alloy" }, tools: [{ enum: ["skill_communicationandteams"] }] },
    { container: { skills: [{ type: "anthropic", skill_id: "xlsx" }] } },
    { messages: [{ role: "user", content: "What is fileid://file-1?" }] },
    message({ type: "image_url", image_url: { url: "gs://bucket/a.png" } }),
    { messages: [{ type: "computer_call_output", current_url: "chrome://newtab" }] },
    message({ type: "url_citation", url_citation: { url: "android-app://com.example" } }),
    { messages: [{ type: "resource", resource: { uri: "notes://today", text: "a" } }] },
    { stop: ["files/a"], prompt_cache_key: "files/tenant-1", custom_id: OPENAI_FILE },
  ]) {
    expect(await post(body)).toBe(200);
  }
});

test.each(REFERENCES)(
  "another consumer's file in %s is a 404 and reaches no upstream",
  async (_, path, body) => {
    const { mine, others, own, chats } = await setUp();
    const before = chats().length;

    for (const id of [others, "file-never"]) {
      const reply = await mine.post(path, { model: "m", ...body(id) });
      expect(await status(reply)).toEqual([404, "not_found"]);
    }
    const escaped = JSON.stringify({ model: "m", ...body(others) }).replace(
      /_(id|ID)/,
      "\\u005f$1",
    );
    expect((await mine.post(path, escaped)).status).toBe(404);

    expect(chats().length).toBe(before);
    expect((await mine.post(path, { model: "m", ...body(own) })).status).toBe(200);
  },
);

test.each(REFERENCES)(
  "an own file in %s routes to the registry that stores it",
  async (_, path, body) => {
    const { mine, own } = await setUp();

    const reply = await mine.post(path, { model: "m", ...body(own) });

    expect([reply.status, reply.headers.get("x-ag-registry")]).toEqual([
      200,
      mine.registries[1]?.id ?? "",
    ]);
  },
);

test("a repeated id member in one object is rejected, because parsers disagree on which one counts", async () => {
  const { mine, own, others } = await setUp();
  const part = `{"type":"file","file":{"file_id":"${others}","file_id":"${own}"}}`;

  const reply = await mine.post(CHAT, `{"model":"m","messages":[{"content":[${part}]}]}`);

  expect(await status(reply)).toEqual([400, "invalid_request"]);
});

test("a body of more than 300,000 values that may refer to files is rejected", async () => {
  const { mine, own } = await setUp();
  const body = (count: number) => ({
    model: "m",
    ...message({ type: "file", file: { file_id: own } }),
    a: Array(count).fill(0),
  });

  expect(await status(await mine.post(CHAT, body(300_001)))).toEqual([400, "invalid_request"]);
  expect((await mine.post(CHAT, body(200_000))).status).toBe(200);
});

test("a body of more than 50,000 members that may refer to files is rejected", async () => {
  const { mine, chats } = await setUp();
  const before = chats().length;
  const names = Array.from({ length: 50_001 }, (_, index) => `"n${index}":1`);

  const reply = await mine.post("/v1/responses", `{"model":"m","input":[{"id":"x",${names}}]}`);

  expect(reply.status).toBe(400);
  expect(await reply.text()).toContain("made of more than 50000 members");
  expect(chats().length).toBe(before);
});

test("files of two registries in one request are a 404", async () => {
  const { mine, own, own_at_first } = await setUp();

  const tools = [{ container: { file_ids: [own, own_at_first] } }];

  expect((await mine.post(RESPONSES, { model: "m", tools })).status).toBe(404);
});

test.each([
  ["without the image", { type: "image_url", image_url: null, uuid: "sku-1" }],
  [
    "with an image",
    { type: "image_url", image_url: { url: "https://a.example/b" }, uuid: "sku-1" },
  ],
  ["without a type", { image_url: {}, uuid: "sku-1" }],
  ["with a second type", { type: "input_audio", Type: "text", uuid: "sku-1" }],
])("media that vLLM caches by its uuid, sent %s, belongs to no consumer", async (_, part) => {
  const { mine, shared } = await setUp();

  expect((await mine.post(CHAT, { model: "m", ...message(part) })).status).toBe(404);
  expect((await shared.post(CHAT, { model: "m", ...message(part) })).status).toBe(200);
  const schema = { properties: { uuid: { type: "string" } }, examples: [{ uuid: "1", type: "a" }] };
  const tools = [{ type: "function", function: { name: "f", parameters: schema } }];
  const text = message({ type: "text", text: "a", uuid: "1" });
  expect((await mine.post(CHAT, { model: "m", ...text, tools })).status).toBe(200);
});

test("a vector store or a collection belongs to no consumer", async () => {
  const { mine, shared } = await setUp();
  for (const tool of [{ vector_store_ids: ["vs_1"] }, { collection_ids: ["c_1"] }]) {
    const body = { model: "m", tools: [tool] };
    expect((await mine.post(RESPONSES, body)).status).toBe(404);
    expect((await shared.post(RESPONSES, body)).status).toBe(200);
  }
});

test.each([
  ["the input of a tool call", message({ type: "tool_use", input: { file_id: "x" } })],
  [
    "a citation",
    message({ type: "output_text", annotations: [{ type: "file_citation", file_id: "x" }] }),
  ],
  [
    "the results of a file search",
    message({ type: "file_search_call", results: [{ file_id: "x" }] }),
  ],
  ["the path of a file", message({ type: "file_path", file_path: { file_id: "x" } })],
  ["the output of a program", message({ type: "bash_code_execution_output", file_id: "x" })],
  [
    "the schema of a function",
    {
      tools: [
        { input_schema: { properties: { file_id: { type: "string" } }, required: ["file_id"] } },
      ],
    },
  ],
  ["metadata", { metadata: { file_id: "x" } }],
  ["the metadata of a message", { messages: [{ role: "user", metadata: { file_id: "x" } }] }],
  ["text", message({ type: "text", text: '{"file_id": "x"}' })],
  ["the arguments of a Gemini function", part({ functionCall: { args: { file_id: "x" } } })],
  ["the result of a Gemini function", part({ function_response: { response: { file_id: "x" } } })],
])("an id in %s is not a reference", async (_, body) => {
  const { mine } = await setUp();

  expect((await mine.post(CHAT, { model: "m", messages: [], ...body })).status).toBe(200);
});

test("a consumer that shares all files is not checked", async () => {
  const { shared, own } = await setUp();

  const reply = await shared.post(CHAT, {
    model: "m",
    ...message({ type: "file", file: { file_id: own } }),
  });

  expect(reply.status).toBe(200);
});

test("a form with own scope cannot refer to files", async () => {
  const { mine } = await setUp();
  const part = (name: string) =>
    `------test-Boundary_7\r\nContent-Disposition: form-data; name="${name}"\r\n\r\nm\r\n`;

  for (const name of [
    ...["file_id", "images[0][file_id]", "image.FILE_ID", "files[0][id]", "file.id"],
    ...["fileId", "image_file_ids[]", "vector_store_ids[]", "images%5Bfile_id%5D"],
    ...["previous_response_id", "previousResponseId", "conversation", "conversation[id]"],
    ...["fileUri", "file_uri", "cachedContent", "vertexRagStore", "extra_body", "tools[]"],
  ]) {
    const body = `${part("model")}${part(name)}------test-Boundary_7--`;
    const headers = { "content-type": FORM_TYPE };
    const reply = await mine.call("/v1/images/edits", { method: "POST", headers, body });
    expect(await status(reply)).toEqual([400, "invalid_request"]);
  }
});
