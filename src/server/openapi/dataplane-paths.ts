/** Describes the endpoints of the data plane in OpenAPI. */
import { z } from "zod";
import type { ErrorCode } from "../../contract/errors.ts";
import type {
  DataPlaneEndpoint,
  DataPlaneOperation,
  FormField,
} from "../../contract/gateway/dataplane-endpoint.ts";
import { DATA_PLANE_ENDPOINTS } from "../../contract/gateway/dataplane-endpoints.ts";
import { DATA_PLANE } from "./about.ts";
import { errorResponses } from "./errors.ts";
import type { MediaTypes, OpenApiResponse, Parameter, Paths } from "./openapi.ts";
import { type JsonSchema, OPEN_OBJECT, type SchemaBook } from "./schemas.ts";

const IN_PATH: Record<string, { description: string; example: string }> = {
  consumer: { description: "Slug of the consumer.", example: "demo" },
  file_id: { description: "Id of the file, assigned by the upstream.", example: "file-abc123" },
  upload_id: { description: "Id of the upload.", example: "upload_abc123" },
  batch_id: { description: "Id of the batch.", example: "batch_abc123" },
  message_batch_id: { description: "Id of the batch of messages.", example: "msgbatch_abc123" },
  response_id: { description: "Id of the response.", example: "resp_abc123" },
  conversation_id: { description: "Id of the conversation.", example: "conv_abc123" },
  item_id: { description: "Id of the item of the conversation.", example: "msg_abc123" },
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
    description: "Id or name of a registry, or `@provider`: sends the request only there.",
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
  "provider_credential_error",
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
  .describe("Error of the data plane, except rate limits, in the format of the OpenAI API.");

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
  .describe("Error of the gateway at `/v1/messages`, in the format of the Anthropic API.");

const GeminiError = z
  .object({
    error: z.object({
      code: z.int().describe("HTTP status."),
      message: z.string(),
      status: z.string(),
      details: z.array(z.looseObject({ "@type": z.string() })),
    }),
  })
  .describe("Error of the gateway at `/v1beta`, in the format of Google APIs.");

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
  const gemini = book.refer(GeminiError, "output", "GeminiError");
  const geminiErrors = errorResponses(ERROR_CODES, () => gemini);
  const errorsOf = (dialect: DataPlaneEndpoint["dialect"]) => {
    if (dialect === "messages") return messagesErrors;
    return dialect === "generate_content" ? geminiErrors : errors;
  };
  const paths: Paths = {};
  for (const { version, path: tail, operations, dialect } of DATA_PLANE_ENDPOINTS) {
    const path = `/{consumer}/${version}${tail}`;
    const described = Object.entries(operations).map(([method, operation]) => {
      const content = describeBody(operation);
      return [
        method.toLowerCase(),
        {
          operationId: operation.name,
          tags: [DATA_PLANE],
          summary: operation.summary,
          parameters: [...pathParameters(path), ...HEADERS],
          ...(content ? { requestBody: { required: true, content } } : {}),
          responses: {
            200: describeSuccess(operation.responses),
            ...errorsOf(dialect),
          },
          security: [{ consumer_key: [] }],
        },
      ];
    });
    paths[path] = Object.fromEntries(described);
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

function describeBody({ json, form }: DataPlaneOperation): MediaTypes | undefined {
  if (json) {
    const description =
      "Body in the format of the provider's API. It is sent to the upstream unchanged.";
    return { "application/json": { schema: { ...OPEN_OBJECT, description }, example: json } };
  }
  if (!form) return undefined;
  const properties = Object.fromEntries(
    Object.entries(form).map(([name, field]) => [name, describeField(field)]),
  );
  return { "multipart/form-data": { schema: { type: "object", properties } } };
}

const describeField = ({ example, media_type }: FormField): JsonSchema => ({
  type: "string",
  ...(media_type ? { contentMediaType: media_type } : {}),
  examples: [example],
});

function describeSuccess(types: readonly string[] = ["application/json"]): OpenApiResponse {
  const schemaOf = (type: string): JsonSchema => (type === "application/json" ? OPEN_OBJECT : {});
  return {
    description: "The response of the upstream.",
    content: Object.fromEntries(types.map((type) => [type, { schema: schemaOf(type) }])),
  };
}
