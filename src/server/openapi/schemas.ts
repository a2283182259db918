/** Converts the schemas of the contract to JSON Schema components with the same names. */
import { z } from "zod";
import * as audit from "../../contract/audit.ts";
import * as consumerKeys from "../../contract/gateway/consumer-keys.ts";
import * as consumers from "../../contract/gateway/consumers.ts";
import * as gateways from "../../contract/gateway/gateways.ts";
import * as registries from "../../contract/gateway/registries.ts";
import * as requests from "../../contract/gateway/requests.ts";
import * as activity from "../../contract/guard/activity.ts";
import * as approvals from "../../contract/guard/approvals.ts";
import * as collectorKeys from "../../contract/guard/collector-keys.ts";
import * as collectors from "../../contract/guard/collectors.ts";
import * as conditions from "../../contract/guard/conditions.ts";
import * as detectors from "../../contract/guard/detectors.ts";
import * as evaluate from "../../contract/guard/evaluate.ts";
import * as policies from "../../contract/guard/policies.ts";
import * as replay from "../../contract/guard/replay.ts";
import * as testPolicy from "../../contract/guard/test-policy.ts";
import * as inbox from "../../contract/inbox.ts";
import * as session from "../../contract/session.ts";
import * as storeAccess from "../../contract/store/access.ts";
import * as storeCatalog from "../../contract/store/catalog.ts";
import * as storeGrants from "../../contract/store/grants.ts";
import * as storeInstalls from "../../contract/store/installs.ts";
import * as mcpRegistries from "../../contract/store/mcp-registries.ts";
import * as storePrincipals from "../../contract/store/principals.ts";
import * as storeRegistry from "../../contract/store/registry.ts";
import * as storeRequests from "../../contract/store/requests.ts";
import * as storeTools from "../../contract/store/tools.ts";
import * as tokens from "../../contract/tokens.ts";

export type JsonSchema = z.core.JSONSchema.BaseSchema;
/** Members with a default are optional in requests and always present in responses. */
type Direction = "input" | "output";

/** An object with any members. Without the second keyword, generators read it as an empty object. */
export const OPEN_OBJECT = { type: "object", additionalProperties: true } as const;

export interface SchemaBook {
  /** Components created so far. */
  schemas: Record<string, JsonSchema>;
  /** Returns a reference to the component of a shape; `name` is used for a shape without a name in the contract. */
  refer: (shape: z.ZodType, direction: Direction, name: string) => JsonSchema;
}

const MODULES = [
  gateways,
  registries,
  mcpRegistries,
  consumers,
  consumerKeys,
  conditions,
  detectors,
  policies,
  replay,
  testPolicy,
  collectors,
  collectorKeys,
  evaluate,
  approvals,
  inbox,
  activity,
  requests,
  tokens,
  session,
  audit,
  storeAccess,
  storeCatalog,
  storeInstalls,
  storeRequests,
  storeGrants,
  storePrincipals,
  storeRegistry,
  storeTools,
];

export function createSchemaBook(): SchemaBook {
  const names = new Map<z.core.$ZodType, Record<Direction, string>>();
  for (const [name, shape] of MODULES.flatMap((module) => Object.entries(module))) {
    if (!(shape instanceof z.ZodType)) continue;
    names.set(shape, { input: name.replace(/(Input)?$/, "Input"), output: name });
  }
  const schemas: Record<string, JsonSchema> = {};
  const refer: SchemaBook["refer"] = (shape, direction, name) => {
    if (!names.has(shape)) names.set(shape, { input: name, output: name });
    const { $defs, $ref } = toSchema(shape, direction, (inner) => names.get(inner)?.[direction]);
    Object.assign(schemas, $defs);
    return { $ref: String($ref) };
  };
  for (const [kind, options] of Object.entries(registries.PROVIDER_OPTIONS)) {
    // Kinds share shapes; a copy with its own description gets the name of the kind.
    const own = options.describe(`\`provider_options\` of a registry of the kind \`${kind}\`.`);
    refer(own, "input", optionsName(kind));
  }
  return { schemas, refer };
}

export function toSchema(
  shape: z.ZodType,
  direction: Direction,
  nameOf: (shape: z.core.$ZodType) => string | undefined = () => undefined,
): JsonSchema {
  const metadata = Object.assign(z.registry<{ id?: string | undefined }>(), {
    get: (inner: z.core.$ZodType) => {
      const id = nameOf(inner);
      return { ...z.globalRegistry.get(inner), ...(id === undefined ? {} : { id }) };
    },
  });
  const { $schema: _, ...made } = z.toJSONSchema(shape, {
    io: direction,
    target: "draft-2020-12",
    metadata,
    override: ({ jsonSchema }) => tidy(jsonSchema, direction),
  });
  const moved = (key: string, value: unknown) =>
    key === "$ref" ? String(value).replace("#/$defs/", "#/components/schemas/") : value;
  return JSON.parse(JSON.stringify(made), moved);
}

export const toPascalCase = (name: string): string =>
  name.replace(/(?:^|[_-])([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Removes keywords that mean nothing to readers, and adds the options of each kind. */
function tidy(schema: JsonSchema, direction: Direction): void {
  if (schema.type === "object" && !schema.properties) schema.additionalProperties ??= true;
  if (schema.default !== undefined) moveDefault(schema, direction);
  if (schema.format) delete schema.pattern;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (direction === "output") {
    // Later versions may add members.
    if (schema.additionalProperties === false) delete schema.additionalProperties;
  }
  const options = schema.properties?.provider_options;
  if (typeof options !== "object") return;
  options.anyOf = registries.PROVIDER_NAMES.map((kind) => ({
    $ref: `#/components/schemas/${optionsName(kind)}`,
  }));
  for (const member of ["type", "propertyNames", "additionalProperties"]) delete options[member];
}

/** Moves the default to the description: openapi-typescript makes members with `default` required in requests. */
function moveDefault(schema: JsonSchema, direction: Direction): void {
  const { default: value } = schema;
  delete schema.default;
  if (direction === "output") return; // Responses contain every member.
  const text = `Default: \`${JSON.stringify(value)}\`.`;
  schema.description = schema.description ? `${schema.description} ${text}` : text;
}

const optionsName = (kind: string): string => `RegistryOptions${toPascalCase(kind)}`;
