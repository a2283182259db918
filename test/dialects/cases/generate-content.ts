/** Requests and responses of the Gemini API. */
import type { JsonObject } from "../../../src/lib/json/json-object.ts";
import type { RequestCases, ResponseCase, ResponseCases } from "./dialect-cases.ts";

const user = (...parts: JsonObject[]) => ({ role: "user", parts });
const model = (...parts: JsonObject[]) => ({ role: "model", parts });
const ask = (more: JsonObject, ...parts: JsonObject[]): JsonObject => ({
  contents: [user(...(parts.length > 0 ? parts : [{ text: "Hello" }]))],
  ...more,
});
const configure = (generationConfig: JsonObject): JsonObject => ask({ generationConfig });

const parameters = {
  type: "OBJECT",
  properties: { city: { type: "STRING", nullable: true } },
  required: ["city"],
};
const weather = { name: "get_weather", description: "Returns the weather", parameters };
const tools = [{ functionDeclarations: [weather] }];
const call = (args?: JsonObject, more: JsonObject = {}): JsonObject => ({
  functionCall: { name: "get_weather", ...(args && { args }) },
  ...more,
});
const result = (response: JsonObject, more: JsonObject = {}): JsonObject => ({
  functionResponse: { name: "get_weather", response, ...more },
});
const turns = (...contents: JsonObject[]): JsonObject => ({
  contents: [user({ text: "Weather?" }), ...contents],
  tools,
});
const choose = (functionCallingConfig: JsonObject): JsonObject =>
  ask({ tools, toolConfig: { functionCallingConfig } });
const signature = Buffer.from("portcullis:sig:messages:c2ln").toString("base64");

/** Chunks of a function call whose arguments Vertex streams, and of one without arguments. */
const streamedCall: JsonObject[] = [
  {
    functionCall: { id: "c1", name: "get_weather", willContinue: true },
    thoughtSignature: "c2lnMQ==",
  },
  {
    functionCall: {
      partialArgs: [{ jsonPath: "$.city", stringValue: "Par", willContinue: true }],
      willContinue: true,
    },
  },
  {
    functionCall: {
      partialArgs: [
        { jsonPath: "$.city", stringValue: "is" },
        { jsonPath: "$.days[0]['at noon']", boolValue: true },
        { jsonPath: "$.days[1]", numberValue: 2 },
      ],
      willContinue: true,
    },
  },
  { functionCall: {} },
  { functionCall: { name: "get_weather", willContinue: true } },
  { functionCall: {} },
];

export const requests: RequestCases = {
  "system-prompts": ask({ systemInstruction: { parts: [{ text: "Be brief." }] } }),
  "snake-case": {
    system_instruction: { parts: [{ text: "Be brief." }] },
    contents: [{ parts: [{ inline_data: { mime_type: "image/png", data: "iVBORw0K" } }] }],
    generation_config: { max_output_tokens: 100 },
    tools: [{ function_declarations: [weather] }],
  },
  sampling: configure({
    temperature: 0.5,
    topP: 0.9,
    stopSequences: ["END"],
    maxOutputTokens: 100,
    candidateCount: 1,
  }),
  "top-k": configure({ topK: 40 }),
  "seed-and-penalties": configure({ seed: 7, presencePenalty: 0.1, frequencyPenalty: 0.2 }),
  tools: ask({ tools }),
  "tools-with-json-schema": ask({
    tools: [
      {
        functionDeclarations: [
          { name: "a", parametersJsonSchema: { type: "object", properties: {} } },
          { name: "b" },
        ],
      },
    ],
  }),
  "tool-choice-any": choose({ mode: "ANY" }),
  "tool-choice-none": choose({ mode: "NONE" }),
  "tool-choice-tool": choose({ mode: "ANY", allowedFunctionNames: ["get_weather"] }),
  "provider-tool": ask({ tools: [{ googleSearch: {} }] }),
  "parallel-tool-calls": turns(
    model({ text: "I look it up." }, call({ city: "Paris" }), call({ city: "Rome" })),
    user(result({ output: "sunny" }), result({ output: "rain" })),
  ),
  "tool-calls-with-ids": turns(
    model(
      { functionCall: { id: "c1", name: "get_weather", args: { city: "Paris" } } },
      { functionCall: { id: "c2", name: "get_weather", args: { city: "Rome" } } },
    ),
    user(result({ output: "rain" }, { id: "c2" }), result({ output: "sunny" }, { id: "c1" })),
  ),
  "tool-call-in-parts": turns(...streamedCall.map((part) => model(part))),
  "tool-result-that-is-an-object": turns(model(call()), user(result({ degrees: 20, sky: "blue" }))),
  "tool-result-with-image": turns(
    model(call()),
    user(
      result(
        { output: "A photo:" },
        { parts: [{ inlineData: { mimeType: "image/png", data: "iVBORw0K" } }] },
      ),
    ),
  ),
  "tool-result-with-error": turns(model(call()), user(result({ error: "No city." }))),
  "tool-result-without-call": turns(user(result({ output: "sunny" }))),
  "image-data": ask({}, { inlineData: { mimeType: "image/png", data: "iVBORw0K" } }),
  "image-url": ask(
    {},
    { fileData: { mimeType: "image/png", fileUri: "https://example.com/a.png" } },
  ),
  "image-file": ask(
    {},
    { fileData: { fileUri: "https://generativelanguage.googleapis.com/v1beta/files/1" } },
  ),
  pdf: ask({}, { inlineData: { mimeType: "application/pdf", data: "JVBERi0=" } }),
  "pdf-url": ask(
    {},
    { fileData: { mimeType: "application/pdf", fileUri: "https://example.com/a.pdf" } },
  ),
  audio: ask({}, { inlineData: { mimeType: "audio/wav", data: "UklGRg==" } }),
  video: ask({}, { inlineData: { mimeType: "video/mp4", data: "AAAA" } }),
  "executable-code": ask({}, { executableCode: { language: "PYTHON", code: "1" } }),
  "thinking-level": configure({ thinkingConfig: { thinkingLevel: "LOW", includeThoughts: true } }),
  "thinking-budget": configure({ maxOutputTokens: 9000, thinkingConfig: { thinkingBudget: 4000 } }),
  "thinking-dynamic": configure({ thinkingConfig: { thinkingBudget: -1 } }),
  "thinking-disabled": configure({ thinkingConfig: { thinkingBudget: 0 } }),
  "thinking-with-signatures": turns(
    model(
      { text: "One ", thought: true },
      { text: "city.", thought: true },
      call({ city: "Paris" }, { thoughtSignature: "c2lnMQ==" }),
    ),
    user(result({ output: "sunny" })),
  ),
  "thinking-of-messages": turns(
    model(
      { text: "One city.", thought: true },
      { text: "", thought: true, thoughtSignature: signature },
      { functionCall: { id: "toolu_1", name: "get_weather", args: { city: "Paris" } } },
    ),
    user(result({ output: "sunny" }, { id: "toolu_1" })),
  ),
  "json-output": configure({ responseMimeType: "application/json" }),
  "structured-output": configure({
    responseMimeType: "application/json",
    responseSchema: parameters,
  }),
  "cached-content": ask({ cachedContent: "cachedContents/1" }),
  "two-candidates": configure({ candidateCount: 2 }),
  "audio-output": configure({ responseModalities: ["AUDIO"] }),
  dropped: ask({ safetySettings: [{ category: "HARM_CATEGORY_HARASSMENT" }], labels: { a: "b" } }),
  "unknown-member": ask({ surprise: true }),
};

const frame = { modelVersion: "upstream-model", responseId: "r1" };
const usageMetadata = {
  promptTokenCount: 90,
  cachedContentTokenCount: 60,
  candidatesTokenCount: 24,
  thoughtsTokenCount: 16,
  totalTokenCount: 130,
};
const candidate = (parts: JsonObject[], more: JsonObject = {}): JsonObject => ({
  candidates: [{ content: model(...parts), index: 0, ...more }],
});

/** A response with its stream; each list of parts is a chunk. */
function respond(chunks: JsonObject[][], finishReason = "STOP"): ResponseCase {
  return {
    body: { ...candidate(chunks.flat(), { finishReason }), usageMetadata, ...frame },
    events: [
      ...chunks.map((parts) => ({ ...candidate(parts), ...frame })),
      { ...candidate([{ text: "" }], { finishReason }), usageMetadata, ...frame },
    ],
  };
}

const said = [[{ text: "Hello" }], [{ text: ", world" }]];
const blocked = { promptFeedback: { blockReason: "SAFETY" }, usageMetadata, ...frame };

export const responses: ResponseCases = {
  text: respond(said),
  "max-tokens": respond(said, "MAX_TOKENS"),
  safety: respond(said, "SAFETY"),
  recitation: respond(said, "RECITATION"),
  "other-reason": respond(said, "OTHER"),
  "malformed-call": respond([], "MALFORMED_FUNCTION_CALL"),
  "blocked-prompt": { body: blocked, events: [blocked] },
  "parallel-tool-calls": respond([
    [{ text: "I look it up." }],
    [
      call({ city: "Paris" }, { thoughtSignature: "c2lnMQ==" }),
      { functionCall: { id: "c2", name: "get_weather", args: { city: "Rome" } } },
    ],
  ]),
  "tool-call-without-arguments": respond([[call()]]),
  thinking: respond([
    [{ text: "One ", thought: true }],
    [{ text: "city.", thought: true }],
    [{ text: "Sunny." }],
    [{ text: "", thoughtSignature: "c2lnMg==" }],
  ]),
  "unknown-content": respond([[{ executableCode: { language: "PYTHON", code: "1" } }]]),
  "no-candidates": { body: { ...frame } },
  "stream-that-ends-early": { events: [{ ...candidate([{ text: "Hel" }]), ...frame }] },
  "tool-calls-in-parts": respond(streamedCall.map((part) => [part])),
  "tool-call-in-parts-without-its-end": respond(streamedCall.slice(0, 3).map((part) => [part])),
  "tool-call-in-parts-that-reaches-a-limit": respond(
    [[{ text: "I look it up." }], ...streamedCall.slice(0, 3).map((part) => [part])],
    "MAX_TOKENS",
  ),
  "tool-call-in-parts-with-text-inside": respond([streamedCall.slice(0, 2), [{ text: "Hello" }]]),
  "tool-call-with-an-invalid-path": respond([
    streamedCall.slice(0, 1),
    [{ functionCall: { partialArgs: [{ jsonPath: "$.days[7]", numberValue: 1 }] } }],
  ]),
  "tool-call-without-a-name": respond([[{ functionCall: { args: {} } }]]),
  "stream-with-an-error": {
    events: [
      { ...candidate([{ text: "Hel" }]), ...frame },
      { error: { code: 503, message: "Overloaded", status: "UNAVAILABLE" } },
    ],
  },
  "error-400": {
    status: 400,
    body: { error: { code: 400, message: "Invalid.", status: "INVALID_ARGUMENT" } },
  },
  "error-403-with-details": {
    status: 403,
    body: {
      error: {
        code: 403,
        message: "Blocked.",
        status: "PERMISSION_DENIED",
        details: [
          { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" },
        ],
      },
    },
  },
  "error-429-as-list": {
    status: 429,
    body: [{ error: { code: 429, message: "Quota.", status: "RESOURCE_EXHAUSTED" } }],
  },
  "error-500": { status: 500, body: "<html>Internal Server Error</html>" },
};
