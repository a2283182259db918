/** The paths of the data plane in the API description: what an application sends, in one table. */
import { z } from "zod";
import type { ErrorCode } from "../../contract/errors.ts";
import { DATA_PLANE } from "./about.ts";
import { errorResponses } from "./errors.ts";
import type { MediaTypes, Method, OpenApiResponse, Parameter, Paths } from "./openapi.ts";
import { type JsonSchema, OPEN_OBJECT, type SchemaBook } from "./schemas.ts";

interface DataPlanePath {
  name: string;
  method: Method;
  /** After `/{consumer}/v1`. */
  tail: string;
  summary: string;
  /** An example of the JSON body, or the members of the form. */
  json?: Record<string, unknown>;
  form?: Record<string, JsonSchema>;
  /** Media types of the answer; JSON unless it says otherwise. */
  replies?: readonly string[];
}

const STREAMED = ["application/json", "text/event-stream"];
const BYTES = ["application/octet-stream"];
const text = (example: string): JsonSchema => ({ type: "string", examples: [example] });
const file = (contentMediaType: string, example: string): JsonSchema => ({
  type: "string",
  contentMediaType,
  examples: [example],
});
const hello = [{ role: "user", content: "Hello!" }];

const PATHS: readonly DataPlanePath[] = [
  {
    name: "create_chat_completion",
    method: "post",
    tail: "/chat/completions",
    summary: "Chat; whole, or streamed with `stream: true`",
    json: { model: "demo-chat", messages: hello },
    replies: STREAMED,
  },
  {
    name: "create_response",
    method: "post",
    tail: "/responses",
    summary: "Responses; whole, or streamed with `stream: true`",
    json: { model: "demo-chat", input: "Hello!" },
    replies: STREAMED,
  },
  {
    name: "create_message",
    method: "post",
    tail: "/messages",
    summary: "Messages in the Anthropic format; whole, or streamed with `stream: true`",
    json: { model: "demo-chat", max_tokens: 256, messages: hello },
    replies: STREAMED,
  },
  {
    name: "create_embedding",
    method: "post",
    tail: "/embeddings",
    summary: "Embeddings of one or several texts",
    json: { model: "demo-embedding", input: "A castle gate" },
  },
  {
    name: "generate_image",
    method: "post",
    tail: "/images/generations",
    summary: "Make an image from a prompt",
    json: { model: "demo-image", prompt: "A castle gate", n: 1, size: "256x256" },
  },
  {
    name: "edit_image",
    method: "post",
    tail: "/images/edits",
    summary: "Change an image as a prompt says",
    form: {
      model: text("demo-image"),
      prompt: text("Add a moat"),
      image: file("image/png", "gate.png"),
    },
  },
  {
    name: "vary_image",
    method: "post",
    tail: "/images/variations",
    summary: "Make variations of an image",
    form: { model: text("demo-image"), image: file("image/png", "gate.png") },
  },
  {
    name: "create_speech",
    method: "post",
    tail: "/audio/speech",
    summary: "Speak a text; the answer is the audio itself",
    json: { model: "demo-speech", input: "The gate is open.", voice: "alloy" },
    replies: ["audio/mpeg"],
  },
  {
    name: "create_transcription",
    method: "post",
    tail: "/audio/transcriptions",
    summary: "Write down what is said in a recording",
    form: { model: text("demo-transcribe"), file: file("audio/mpeg", "speech.mp3") },
  },
  {
    name: "upload_file",
    method: "post",
    tail: "/files",
    summary: "Upload a file",
    form: { purpose: text("assistants"), file: file("application/octet-stream", "notes.txt") },
  },
  { name: "list_files", method: "get", tail: "/files", summary: "List files" },
  { name: "get_file", method: "get", tail: "/files/{file_id}", summary: "Read about a file" },
  {
    name: "download_file",
    method: "get",
    tail: "/files/{file_id}/content",
    summary: "Download a file",
    replies: BYTES,
  },
  { name: "delete_file", method: "delete", tail: "/files/{file_id}", summary: "Delete a file" },
  { name: "list_models", method: "get", tail: "/models", summary: "List the models in reach" },
  { name: "get_model", method: "get", tail: "/models/{model}", summary: "Read about a model" },
];

const IN_PATH: Record<string, { description: string; example: string }> = {
  consumer: { description: "Slug of the consumer.", example: "demo" },
  file_id: { description: "Id that the upstream gave the file.", example: "file-abc123" },
  model: { description: "Name of the model.", example: "demo-chat" },
};

const HEADERS: readonly Parameter[] = [
  {
    name: "X-AG-Gateway-Slug",
    in: "header",
    required: false,
    description: "Slug of the consumer's gateway. Required on a private data plane.",
    schema: { type: "string" },
  },
  {
    name: "X-AG-Pin",
    in: "header",
    required: false,
    description: "Id or name of a registry, or `@provider`: only there.",
    schema: { type: "string" },
  },
];

const ERROR_CODES: readonly ErrorCode[] = [
  "invalid_request",
  "invalid_model",
  "unauthorized",
  "forbidden",
  "model_not_allowed",
  "not_found",
  "too_large",
  "rate_limited",
  "upstream_unreachable",
  "upstream_failed",
  "no_backend_available",
  "upstream_timeout",
];

const DataPlaneError = z
  .object({
    error: z.object({
      message: z.string(),
      type: z.string(),
      code: z.string(),
      param: z.string().nullable(),
    }),
    trace_id: z.string(),
  })
  .describe("Every error of the data plane but rate limiting, in the shape that SDKs show.");

const MessagesError = z
  .object({
    type: z.literal("error"),
    error: z.object({
      type: z.string(),
      message: z.string(),
      code: z.string(),
      param: z.string().nullable(),
    }),
    retry_after: z.string().optional().describe("Seconds to wait, after a rate limit."),
    request_id: z.string(),
    trace_id: z.string(),
  })
  .describe("Every error of the gateway at `/v1/messages`, in Anthropic's shape.");

const RateLimitError = z.object({
  error: z.string().describe("`<type> rate limit exceeded`."),
  retry_after: z.string().describe("Seconds to wait."),
});

export function dataPlanePaths(book: SchemaBook): Paths {
  const error = book.refer(DataPlaneError, "output", "DataPlaneError");
  const limited = book.refer(RateLimitError, "output", "RateLimitError");
  const errors = errorResponses(ERROR_CODES, (code) => (code === "rate_limited" ? limited : error));
  const messages = book.refer(MessagesError, "output", "MessagesError");
  const messagesErrors = errorResponses(ERROR_CODES, () => messages);
  const paths: Paths = {};
  for (const { name, method, tail, summary, ...rest } of PATHS) {
    const path = `/{consumer}/v1${tail}`;
    const content = bodyOf(rest);
    paths[path] = {
      ...paths[path],
      [method]: {
        operationId: name,
        tags: [DATA_PLANE],
        summary,
        parameters: [...pathParameters(path), ...HEADERS],
        ...(content ? { requestBody: { required: true, content } } : {}),
        responses: {
          200: success(rest.replies),
          ...(tail === "/messages" ? messagesErrors : errors),
        },
        security: [{ consumer_key: [] }],
      },
    };
  }
  return paths;
}

function pathParameters(path: string): Parameter[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    ...IN_PATH[name],
    schema: { type: "string" },
  }));
}

function bodyOf({ json, form }: Pick<DataPlanePath, "json" | "form">): MediaTypes | undefined {
  if (json) {
    const description =
      "The reference format, with all its members; it reaches the upstream as it is.";
    return { "application/json": { schema: { ...OPEN_OBJECT, description }, example: json } };
  }
  if (!form) return undefined;
  return { "multipart/form-data": { schema: { type: "object", properties: form } } };
}

function success(types: readonly string[] = ["application/json"]): OpenApiResponse {
  const schemaOf = (type: string): JsonSchema => (type === "application/json" ? OPEN_OBJECT : {});
  return {
    description: "The answer of the upstream.",
    content: Object.fromEntries(types.map((type) => [type, { schema: schemaOf(type) }])),
  };
}
