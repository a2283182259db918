/** Describes the MCP endpoint in OpenAPI: one path for principals, one for consumers. */
import { z } from "zod";
import type { ErrorCode } from "../../contract/errors.ts";
import { MCP_ENDPOINT } from "./about.ts";
import { errorResponses, UPSTREAM_ERRORS } from "./errors.ts";
import type { OpenApiOperation, Parameter, Paths } from "./openapi.ts";
import { OPEN_OBJECT, type SchemaBook } from "./schemas.ts";

const ERROR_CODES: readonly ErrorCode[] = [
  "invalid_json",
  "unauthorized",
  "forbidden",
  "not_found",
  "method_not_allowed",
  "request_timeout",
  "too_large",
  "rate_limited",
  "unavailable",
];

const McpError = z
  .object({
    jsonrpc: z.literal("2.0"),
    id: z.null(),
    error: z.object({
      code: z.int().describe("JSON-RPC code: -32700 for a body that is not JSON, else -32000."),
      message: z.string(),
      data: z.object({
        code: z.string().describe("Error code, such as `rate_limited`."),
        trace_id: z.string(),
        request_id: z.string(),
        retry_after: z.string().optional().describe("Seconds to wait before a retry."),
      }),
    }),
  })
  .describe(
    "A JSON-RPC error: authentication, body, limits. A rejected tool call is a tool result with status 200.",
  );

const CONSUMER: Parameter = {
  name: "consumer",
  in: "path",
  required: true,
  description: "Slug of the consumer.",
  schema: { type: "string" },
  example: "demo",
};

export function mcpEndpointPaths(book: SchemaBook): Paths {
  const error = book.refer(McpError, "output", "McpError");
  const responses = {
    200: {
      description: "The JSON-RPC response, as JSON or as an event stream.",
      content: {
        "application/json": { schema: OPEN_OBJECT },
        "text/event-stream": { schema: {} },
      },
    },
    ...errorResponses(ERROR_CODES, () => error),
  };
  const described: Pick<OpenApiOperation, "tags" | "requestBody" | "responses"> = {
    tags: [MCP_ENDPOINT],
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: { ...OPEN_OBJECT, description: "An MCP message (JSON-RPC)." },
          example: { jsonrpc: "2.0", id: 1, method: "tools/list" },
        },
      },
    },
    responses,
  };
  return {
    "/me/mcp": {
      post: {
        ...described,
        responses: { ...responses, ...errorResponses(UPSTREAM_ERRORS, () => error) },
        operationId: "call_mcp_as_principal",
        summary: "Tools of the Store, and of the servers that the principal has installed",
        parameters: [],
        security: [{ principal_token: [] }],
      },
    },
    "/{consumer}/mcp": {
      post: {
        ...described,
        operationId: "call_mcp_as_consumer",
        summary: "Tools of the MCP registries attached to the consumer",
        parameters: [CONSUMER],
        security: [{ consumer_key: [] }],
      },
    },
  };
}
