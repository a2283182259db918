/** Builds the OpenAPI 3.1 document from the endpoints that the server handles. */
import type { Endpoint } from "../../contract/endpoint.ts";
import { ABOUT, SECURITY_SCHEMES, TAGS } from "./about.ts";
import { dataPlanePaths } from "./dataplane-paths.ts";
import { mcpEndpointPaths } from "./mcp-endpoint-paths.ts";
import { describeOperation, hasVersion } from "./operation.ts";
import { createSchemaBook, type JsonSchema } from "./schemas.ts";

export const METHODS = ["get", "post", "put", "patch", "delete"] as const;
export type Method = (typeof METHODS)[number];

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  description?: string;
  schema: JsonSchema;
  example?: unknown;
}
export type MediaTypes = Record<string, { schema: JsonSchema; example?: unknown }>;
export interface OpenApiResponse {
  description: string;
  headers?: Record<string, { description: string; schema: JsonSchema }>;
  content?: MediaTypes;
}
export interface OpenApiOperation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  parameters: Parameter[];
  requestBody?: { required: true; content: MediaTypes };
  responses: Record<string, OpenApiResponse>;
  security: Record<string, string[]>[];
  /** operationId of the operation that this is an alias of. */
  "x-alias-of"?: string;
}
export type Paths = Record<string, Partial<Record<Method, OpenApiOperation>>>;

export interface OpenApiDocument {
  openapi: string;
  info: typeof ABOUT;
  servers: { url: string }[];
  tags: { name: string; description?: string }[];
  paths: Paths;
  components: { schemas: Record<string, JsonSchema>; securitySchemes: typeof SECURITY_SCHEMES };
}

export function buildOpenApi(endpoints: readonly Endpoint[]): OpenApiDocument {
  const book = createSchemaBook();
  // A resource with a version can be updated with If-Match.
  const versioned = new Set(endpoints.filter(hasVersion).map(({ path }) => path));
  const paths: Paths = {};
  for (const endpoint of endpoints) {
    const operation = describeOperation(endpoint, book, versioned.has(endpoint.path));
    const path = endpoint.path.replace(/:(\w+)/g, "{$1}");
    const method = endpoint.method.toLowerCase();
    paths[path] = { ...paths[path], [method]: operation };
    if (method === "put") paths[path].patch = alias(operation);
  }
  Object.assign(paths, dataPlanePaths(book), mcpEndpointPaths(book));
  return {
    openapi: "3.1.1",
    info: ABOUT,
    servers: [{ url: "/" }],
    tags: tagsOf(paths),
    paths,
    components: { schemas: book.schemas, securitySchemes: SECURITY_SCHEMES },
  };
}

/** PATCH is the same as PUT. */
const alias = (operation: OpenApiOperation): OpenApiOperation => ({
  ...operation,
  operationId: `${operation.operationId}_by_patch`,
  summary: `${operation.summary} (the same as PUT)`,
  "x-alias-of": operation.operationId,
});

function tagsOf(paths: Paths): OpenApiDocument["tags"] {
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  const names = new Set(operations.flatMap(({ tags }) => tags));
  return [...names].map((name) => {
    const description = TAGS.find((tag) => tag.name === name)?.description;
    return description ? { name, description } : { name };
  });
}
