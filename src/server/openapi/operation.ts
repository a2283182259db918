/** Describes an endpoint as an OpenAPI operation, with all its errors. */
import { z } from "zod";
import {
  Empty,
  type Endpoint,
  isAdministrative,
  type Permission,
} from "../../contract/endpoint.ts";
import type { ErrorCode } from "../../contract/errors.ts";
import { PERMISSIONS, ROLES } from "../../contract/roles.ts";
import { tagOf } from "./about.ts";
import { errorResponses, UPSTREAM_ERRORS } from "./errors.ts";
import type { OpenApiOperation, OpenApiResponse, Parameter } from "./openapi.ts";
import { BODY_EXAMPLES, exampleId } from "./request-examples.ts";
import { type SchemaBook, toPascalCase, toSchema } from "./schemas.ts";

export function describeOperation(
  endpoint: Endpoint,
  book: SchemaBook,
  versioned: boolean,
): OpenApiOperation {
  const { name, path, auth, method, writes, plane } = endpoint;
  const conditional = versioned && writes && /:\w+$/.test(path);
  const error =
    plane === "guard"
      ? book.refer(GuardError, "output", "GuardError")
      : book.refer(ErrorBody, "output", "ErrorBody");
  return {
    operationId: name,
    tags: [tagOf(path)],
    summary: endpoint.summary,
    ...(isAdministrative(auth) ? { description: describePermission(auth) } : {}),
    parameters: [
      ...pathParameters(path),
      ...queryParameters(endpoint),
      ...(conditional ? [IF_MATCH] : []),
      ...(method === "POST" && (writes || auth === "collector") ? [IDEMPOTENCY_KEY] : []),
    ],
    ...requestBody(endpoint, book),
    responses: {
      [endpoint.status]: success(endpoint, book),
      ...errorResponses(errorCodes(endpoint, conditional), () => error),
    },
    security: SECURITY[auth] ?? [{ admin_token: [] }],
  };
}

/** Credentials of endpoints that take no administrator token. */
const SECURITY: Partial<Record<Endpoint["auth"], OpenApiOperation["security"]>> = {
  public: [],
  collector: [{ collector_key: [] }],
  principal: [{ principal_token: [] }],
};

export const hasVersion = ({ reply }: Endpoint): boolean =>
  reply instanceof z.ZodObject && "version" in reply.shape;

const ErrorBody = z
  .object({
    error: z.string().describe("Error code. Branch on it."),
    message: z.string().describe("What is wrong and what to do, as text for people."),
  })
  .describe("Error of the administrative API.");

const GuardError = z
  .object({
    error: z.string().describe("What is wrong and what to do, as text for people."),
    trace_id: z.string(),
    request_id: z.string(),
  })
  .describe("Error of the evaluation API. It is not a verdict: do not treat it as `allow`.");

const IF_MATCH: Parameter = {
  name: "If-Match",
  in: "header",
  required: false,
  description:
    'ETag of the version that was read, such as `"3"`. The update fails with 412 if the version has changed.',
  schema: { type: "string" },
};
const IDEMPOTENCY_KEY: Parameter = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "Unique text chosen by the client. Repeats with the same key do not run the request again.",
  schema: { type: "string", minLength: 1, maxLength: 255 },
};

function describePermission(permission: Permission): string {
  const roles = ROLES.filter((role) => PERMISSIONS[role].includes(permission));
  return `Requires the permission \`${permission}\`. Roles with it: ${roles.join(", ")}.`;
}

function pathParameters(path: string): Parameter[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    description: `Id of the ${name.replace(/_id$/, "").replaceAll("_", " ")}.`,
    // The server validates parameters named `…_id` as ids.
    schema: name.endsWith("_id") ? { type: "string", format: "uuid" } : { type: "string" },
    example: exampleId(name),
  }));
}

function queryParameters({ query }: Endpoint): Parameter[] {
  const { properties = {}, required = [] } = toSchema(query, "input");
  return Object.entries(properties).flatMap(([name, schema]) => {
    if (typeof schema === "boolean") return [];
    const { description, ...rest } = schema;
    const example = name === "limit" ? { example: 20 } : {};
    const described = description ? { description } : {};
    return {
      name,
      in: "query",
      required: required.includes(name),
      ...described,
      schema: rest,
      ...example,
    };
  });
}

function requestBody(
  { name, body }: Endpoint,
  book: SchemaBook,
): Pick<OpenApiOperation, "requestBody"> {
  if (body === Empty) return {};
  const schema = book.refer(body, "input", `${toPascalCase(name)}Body`);
  const example = BODY_EXAMPLES[name];
  const content = example === undefined ? { schema } : { schema, example };
  return { requestBody: { required: true, content: { "application/json": content } } };
}

function success(endpoint: Endpoint, book: SchemaBook): OpenApiResponse {
  if (endpoint.reply === Empty) return { description: "Done. No body." };
  const schema = book.refer(endpoint.reply, "output", `${toPascalCase(endpoint.name)}Reply`);
  const etag = {
    description: "Version, to send as If-Match.",
    schema: { type: "string" },
  } as const;
  return {
    description: endpoint.status === 201 ? "Created." : "Done.",
    ...(hasVersion(endpoint) ? { headers: { ETag: etag } } : {}),
    content: { "application/json": { schema } },
  };
}

function errorCodes(endpoint: Endpoint, conditional: boolean): ErrorCode[] {
  const { auth, path, body, writes, calls_out, plane } = endpoint;
  if (plane === "guard") {
    const codes: ErrorCode[] = ["invalid_request", "unauthorized", "forbidden", "overloaded"];
    const more: ErrorCode[] = path.includes(":")
      ? ["not_found"]
      : ["too_large", "request_timeout", "detector_failed"];
    return [...codes, ...more];
  }
  const codes: [boolean, ...ErrorCode[]][] = [
    [auth !== "public", "unauthorized"],
    [isAdministrative(auth), "forbidden"],
    [path.includes(":"), "not_found"],
    [writes && body !== Empty, "already_exists"],
    [writes, "conflict"],
    [conditional, "version_mismatch"],
    [body !== Empty, "too_large"],
    [calls_out, ...UPSTREAM_ERRORS],
    [true, "validation_failed", "unavailable"],
  ];
  return codes.flatMap(([possible, ...some]) => (possible ? some : []));
}
