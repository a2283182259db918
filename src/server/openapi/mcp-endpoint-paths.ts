/** The MCP endpoint in the API description: one path for principals, one for each consumer. */
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
      code: z.int().describe("Of JSON-RPC: -32700 for a body that is not JSON, else -32000."),
      message: z.string(),
      data: z.object({
        code: z.string().describe("The code of the error, such as `rate_limited`."),
        trace_id: z.string(),
        request_id: z.string(),
        retry_after: z.string().optional().describe("Seconds to wait before trying again."),
      }),
    }),
  })
  .describe(
    "A JSON-RPC error: authentication, the body and limits. A tool that is refused is a tool result on a 200.",
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
      description: "The answer of the protocol, whole or as events.",
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
          schema: { ...OPEN_OBJECT, description: "A JSON-RPC message of MCP." },
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
        summary: "The Store, and the tools of what the principal has installed",
        parameters: [],
        security: [{ principal_token: [] }],
      },
    },
    "/{consumer}/mcp": {
      post: {
        ...described,
        operationId: "call_mcp_as_consumer",
        summary: "The tools of the MCP registries attached to the consumer",
        parameters: [CONSUMER],
        security: [{ consumer_key: [] }],
      },
    },
  };
}
