/** /openapi.json and /docs are valid, complete and safe. */
import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import { z } from "zod";
import { type Endpoint, endpoint } from "../../src/contract/endpoint.ts";
import { PROVIDER_NAMES } from "../../src/contract/gateway/registries.ts";
import { matchTail } from "../../src/dataplane/match-endpoint.ts";
import { routes } from "../../src/server/http/routes.ts";
import { DATA_PLANE, MCP_ENDPOINT } from "../../src/server/openapi/about.ts";
import {
  buildOpenApi,
  METHODS,
  type OpenApiDocument,
  type OpenApiOperation,
} from "../../src/server/openapi/openapi.ts";
import { referencePage } from "../../src/server/openapi/reference-page.ts";
import { toPascalCase } from "../../src/server/openapi/schemas.ts";
import { installFromNpm } from "../kit/install-from-npm.ts";
import { startKit } from "../kit/kit.ts";

const endpoints = routes.map((route) => route.endpoint);
const document = buildOpenApi(endpoints);
const operations = operationsOf(document);
const { schemas } = document.components;
const page = referencePage(document);

describe("the OpenAPI document", () => {
  test("is valid OpenAPI 3.1 with version 1.0, and every reference resolves", async () => {
    const validator = new Validator();

    const result = await validator.validate(JSON.parse(JSON.stringify(document)));

    expect(result).toEqual({ valid: true });
    expect(validator.version).toBe("3.1");
    expect(document.info.version).toBe("1.0");
  });

  test("the install request has no required field, and a reason of at most 1,000 characters", () => {
    const { required, properties } = schemas.InstallRequestInput ?? {};

    expect(required ?? []).toEqual([]);
    expect(Object.keys(properties ?? {}).sort()).toEqual([
      "code",
      "groups",
      "instance_id",
      "principal_sub",
      "reason",
    ]);
    expect(properties?.reason).toMatchObject({ $ref: "#/components/schemas/ReasonInput" });
    expect(schemas.ReasonInput).toMatchObject({ type: "string", maxLength: 1000 });
  });

  test("errors of the MCP endpoint are described as they are sent", async () => {
    await using kit = await startKit();
    const sent = await fetch(`${kit.url}/me/mcp`, { method: "POST", body: "{}" });
    const described = document.paths["/me/mcp"]?.post?.responses ?? {};

    expect(Object.keys(described)).toEqual(
      expect.arrayContaining(["400", "401", "403", "408", "413", "429"]),
    );
    const { error, ...rest } = (await sent.json()) as { error: { data: object } };
    const shape = schemas.McpError?.properties ?? {};
    expect(Object.keys(shape).sort()).toEqual(["error", ...Object.keys(rest)].sort());
    expect(shape.error).toMatchObject({
      required: Object.keys(error),
      properties: { data: { required: Object.keys(error.data) } },
    });
  });

  test("contains every endpoint once, under its method and path", () => {
    const own = operations.filter(
      ({ operation }) =>
        !operation.tags.some((tag) => [DATA_PLANE, MCP_ENDPOINT].includes(tag)) &&
        !operation["x-alias-of"],
    );

    const described = own.map(({ operation, address }) => `${operation.operationId} ${address}`);

    expect(described.sort()).toEqual(
      endpoints.map((one) => `${one.name} ${addressOf(one)}`).sort(),
    );
  });

  test("has a unique id for every operation", () => {
    const ids = operations.map(({ operation }) => operation.operationId);

    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
  });

  test("has a described tag for every operation", () => {
    const described = document.tags
      .filter(({ description }) => description)
      .map(({ name }) => name);

    const strays = operations.filter(
      ({ operation }) => !described.includes(operation.tags[0] ?? ""),
    );

    expect(strays).toEqual([]);
  });

  test("has PATCH wherever it has PUT", () => {
    const takes = (method: "put" | "patch") =>
      Object.keys(document.paths).filter((path) => document.paths[path]?.[method]);

    expect(takes("patch")).toEqual(takes("put"));
    expect(find("update_gateway_by_patch")["x-alias-of"]).toBe("update_gateway");
  });

  test("the administrative API declares an API key in the header Authorization", () => {
    expect(document.components.securitySchemes.admin_token).toMatchObject({
      type: "apiKey",
      in: "header",
      name: "Authorization",
    });
    expect(find("list_tokens").security).toEqual([{ admin_token: [] }]);
    expect(find("create_chat_completion").security).toEqual([{ consumer_key: [] }]);
  });

  test("documents how every secret is stored", () => {
    const words = (schema: string, member: string) => {
      const found = schemas[schema]?.properties?.[member];
      return typeof found === "object" ? found.description : undefined;
    };

    expect(words("ApiKeyAuthInput", "api_key")).toContain("encrypted");
    expect(words("RegistryOptionsOpenaiCompatible", "headers")).toContain("encrypted");
    expect(words("NewConsumerKey", "key")).toContain("once");
    expect(words("NewAdminToken", "token")).toContain("once");
  });

  test.each([
    ["ListGatewaysReply", "Gateway"],
    ["ListRegistriesReply", "Registry"],
    ["ListConsumersReply", "Consumer"],
    ["ListConsumerKeysReply", "ConsumerKey"],
    ["ListTokensReply", "AdminToken"],
    ["ListAuditReply", "AuditRecord"],
  ])("%s lists %s", (list, item) => {
    expect(schemas[list]?.properties?.items).toMatchObject({
      items: { $ref: `#/components/schemas/${item}` },
    });
    expect(schemas[item]?.type).toBe("object");
  });

  test("describes the options of every registry kind and references them", () => {
    const named = PROVIDER_NAMES.map((kind) => `RegistryOptions${toPascalCase(kind)}`);

    const { provider_options } = schemas.RegistryInput?.properties ?? {};

    expect(provider_options).toMatchObject({
      anyOf: named.map((name) => ({ $ref: `#/components/schemas/${name}` })),
    });
    expect(schemas.RegistryOptionsAzure?.required).toEqual(["endpoint"]);
  });

  test("generated TypeScript clients accept every example and open objects", async () => {
    const folder = await installFromNpm("portcullis-openapi-typescript", {
      "openapi-typescript": "7.13.0",
      typescript: "5.9.3",
    });
    const bodyOf = (path: string, method: string) =>
      `paths[${JSON.stringify(path)}]["${method}"]["requestBody"]["content"]["application/json"]`;
    const examples = operations.flatMap(({ path, method, operation }) => {
      const { example } = operation.requestBody?.content["application/json"] ?? {};
      return example === undefined ? [] : [[bodyOf(path, method), JSON.stringify(example)]];
    });
    const open = '{ "payload": { "any": 5 }, "attributes": { "tool": { "name": "pay" } } }';
    const lines = [...examples, [bodyOf("/v1/evaluate", "post"), open]].map(
      ([type, value], at) => `export const body${at}: ${type} = ${value};`,
    );
    const save = (name: string, text: string) => writeFileSync(join(folder, name), text);
    save("openapi.json", JSON.stringify(document));
    save("use.ts", `import type { paths } from "./api.ts";\n${lines.join("\n")}`);
    const compilerOptions = { strict: true, noEmit: true, types: [], module: "nodenext" };
    save(
      "tsconfig.json",
      JSON.stringify({
        compilerOptions: { ...compilerOptions, allowImportingTsExtensions: true },
        files: ["use.ts"],
      }),
    );
    const generator = join(folder, "node_modules/openapi-typescript/bin/cli.js");

    const made = Bun.spawnSync(["node", generator, "openapi.json", "-o", "api.ts"], {
      cwd: folder,
    });
    const checked = Bun.spawnSync(["node_modules/.bin/tsc", "-p", folder]);

    expect(made.stderr.toString()).not.toMatch(/error/i);
    expect(checked.stdout.toString()).toBe("");
    expect(examples.length).toBeGreaterThan(50);
  }, 60_000);

  test("members with defaults are optional in requests and required in responses", () => {
    expect(schemas.ConsumerInput?.required).toEqual(["name"]);
    expect(schemas.Consumer?.required).toContain("failover");
    expect(schemas.ConsumerInput?.additionalProperties).toBe(false);
    expect(schemas.Consumer?.additionalProperties).toBeUndefined();
  });

  test.each([
    ["update_gateway", ["gateway_id", "If-Match"]],
    ["configure_gateway", ["gateway_id", "If-Match", "Idempotency-Key"]],
    ["delete_consumer", ["gateway_id", "consumer_id", "If-Match"]],
    ["create_gateway", ["Idempotency-Key"]],
    ["revoke_token", ["token_id"]],
    ["test_registry_connection", ["gateway_id"]],
    ["list_gateways", ["limit", "cursor", "q", "sort"]],
  ])("%s takes the parameters that the server reads", (name, parameters) => {
    expect(find(name).parameters.map((parameter) => parameter.name)).toEqual(parameters);
  });

  test.each([
    ["list_gateways", [200, 401, 403, 422, 503]],
    ["get_gateway", [200, 401, 403, 404, 422, 503]],
    ["create_gateway", [201, 401, 403, 409, 413, 422, 503]],
    ["update_gateway", [200, 401, 403, 404, 409, 412, 413, 422, 503]],
    ["delete_gateway", [204, 401, 403, 404, 409, 412, 422, 503]],
    ["test_registry_connection", [200, 401, 403, 404, 413, 422, 503]],
    ["import_catalog", [200, 401, 403, 404, 413, 422, 502, 503, 504]],
    ["list_servers", [200, 401, 422, 502, 503, 504]],
    ["get_server_version", [200, 401, 404, 422, 502, 503, 504]],
    ["call_mcp_as_principal", [200, 400, 401, 403, 404, 405, 408, 413, 429, 502, 503, 504]],
    ["generate_image", [200, 400, 401, 403, 404, 413, 429, 502, 503, 504]],
  ])("%s lists every possible status", (name, statuses) => {
    expect(Object.keys(find(name).responses).map(Number)).toEqual(statuses);
  });

  test("a response with a version has it as its ETag", () => {
    expect(find("get_registry").responses[200]?.headers).toHaveProperty("ETag");
    expect(find("get_token").responses[200]?.headers).toBeUndefined();
  });
});

describe("the data plane", () => {
  const described = operations.filter(({ operation }) => operation.tags.includes(DATA_PLANE));

  test.each(described)("handles $address", ({ path, method, operation }) => {
    const tail = path.replace("/{consumer}", "").replace(/[{]\w+[}]/, "one");

    const { endpoint } = matchTail(tail) ?? {};

    expect(endpoint?.methods).toContain(method.toUpperCase());
    expect(endpoint?.body).toMatch(bodyKind(operation));
  });
});

describe("the reference page", () => {
  test.each(operations)("contains $operation.operationId", ({ operation, path, method }) => {
    expect(page.split(` id="${operation.operationId}"`).length).toBe(2);
    expect(page).toContain(`<span class="method ${method}">${method}</span> <code>${path}</code>`);
  });

  test("contains no script and loads nothing", () => {
    expect(page).not.toMatch(/<script|<link|<img|<iframe|javascript:|\son\w+=|url\(|@import/i);
    const targets = [...page.matchAll(/\b(?:src|href|action)="([^"]*)"/g)].map(([, to = ""]) => to);
    const others = targets.filter((to) => !to.startsWith("#"));
    expect([...new Set(others)]).toEqual(["/openapi.json", "docs/guides/first-steps"]);
  });

  test("has working links and unique ids", () => {
    const ids = [...page.matchAll(/\sid="([^"]*)"/g)].map(([, id = ""]) => id);
    const wanted = [...page.matchAll(/href="#([^"]*)"/g)].map(([, id = ""]) => id);

    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
    expect(wanted.filter((id) => !ids.includes(id))).toEqual([]);
  });

  test("has one h1, and a caption on every table", () => {
    expect(page.match(/<h1/g)).toHaveLength(1);
    expect(page.match(/<table><caption>/g)).toHaveLength(page.match(/<table/g)?.length ?? 0);
  });

  test("shows the members of a body with their defaults, nested under their parents", () => {
    const article = page.slice(page.indexOf(' id="create_consumer"'));
    const [, body = ""] = /<caption>Body<(.*?)<\/table>/s.exec(article) ?? [];

    expect(body).toContain("<code>round_robin</code>");
    expect(body).toMatch(/class="depth-0"><code>failover<.*class="depth-1"><code>max_attempts</s);
    expect(body).toContain("Default: <code>60000</code>.");
  });

  test("shows hostile text as text", () => {
    const hostile = `</style><script>alert("1")</script>'`;
    const described = endpoint({
      name: "list_traps",
      method: "GET",
      path: "/v1/traps",
      auth: "read",
      summary: hostile,
      reply: z.object({ [hostile]: z.string().describe(hostile) }),
    });

    const made = referencePage(buildOpenApi([described]));

    expect(made).not.toContain("<script");
    expect(made).toContain("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&#39;");
  });

  test("shows a recursive schema once", () => {
    const Condition = z.object({
      field: z.string(),
      get all() {
        return z.array(Condition).optional();
      },
    });
    const described = endpoint({
      name: "create_condition",
      method: "POST",
      path: "/v1/conditions",
      auth: "write",
      summary: "Create a condition",
      body: Condition,
    });

    const made = referencePage(buildOpenApi([described]));

    expect(made).toContain('array of <a href="#schema-CreateConditionBody">');
  });
});

function operationsOf({ paths }: OpenApiDocument) {
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      const address = `${method.toUpperCase()} ${path}`;
      return operation ? [{ path, method, operation, address }] : [];
    }),
  );
}

function find(name: string) {
  const found = operations.find(({ operation }) => operation.operationId === name);
  if (!found) throw new Error(`There is no operation ${name}.`);
  return found.operation;
}

const addressOf = ({ method, path }: Endpoint): string =>
  `${method} ${path.replace(/:(\w+)/g, "{$1}")}`;

/** As the data plane names what it reads. */
function bodyKind({ requestBody }: OpenApiOperation): RegExp {
  const [type] = Object.keys(requestBody?.content ?? {});
  if (type === "multipart/form-data") return /form/;
  return type === "application/json" ? /json/ : /./;
}
