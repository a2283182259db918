/** Parses the definition of an upstream's tool: the members that are passed on, and a hash to detect changes. */
import { z } from "zod";
import { isObject, type JsonObject } from "../../lib/json/json-object.ts";
import { hasMoreValues, measureValue } from "../../lib/json/measure-json.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern rejects them
const ToolName = z.string().regex(/^[^\u0000-\u001f\u007f]{1,256}$/);

const ObjectSchema = z.looseObject({ type: z.literal("object") });

type ObjectSchema = z.infer<typeof ObjectSchema>;

const Definition = z.object({
  name: ToolName,
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: ObjectSchema,
  // Older clients reject the whole list for one output schema that is not an object schema.
  outputSchema: ObjectSchema.optional().catch(undefined),
  annotations: z.looseObject({}).optional().catch(undefined),
});

type Definition = z.infer<typeof Definition>;

/** The gateway declares no tasks capability, so clients must not call such a tool as a task. */
const TaskOnly = z.object({ execution: z.object({ taskSupport: z.literal("required") }) });

export interface UpstreamTool {
  /** The definition for clients, except for the name. */
  definition: Definition;
  /** Hash of the definition as the server sent it. */
  hash: string;
  /** Size of the definition in characters. */
  size: number;
  /** Memory that the definition takes. */
  bytes: number;
  /** The server wants arguments in headers too (SEP-2243). */
  mirrors_arguments: boolean;
}

const MAX_CHARACTERS = 65_536;
const MAX_DEPTH = 64;

/** Returns undefined for a tool that no client can use, or that is too long or too deeply nested. */
export function readTool(value: unknown): UpstreamTool | undefined {
  const parsed = Definition.safeParse(value);
  if (!parsed.success || !parsed.data.name.isWellFormed()) return undefined;
  if (TaskOnly.safeParse(value).success) return undefined;
  // Each value takes two characters at least.
  if (hasMoreValues(parsed.data, MAX_CHARACTERS / 2)) return undefined;
  const text = canonicalize(parsed.data, 0);
  if (text === undefined || text.length > MAX_CHARACTERS) return undefined;
  const hash = Bun.SHA256.hash(text, "hex");
  const mirrors_arguments = text.includes('"x-mcp-header":');
  const definition = repairDefinition(parsed.data);
  const bytes = measureValue(definition);
  return { definition, hash, size: text.length, bytes, mirrors_arguments };
}

/** Drops or replaces invalid members: clients would reject the list of all servers for one of them. */
function repairDefinition({ inputSchema, outputSchema, annotations, ...others }: Definition) {
  return {
    ...others,
    inputSchema: repairSchema(inputSchema),
    ...(outputSchema ? { outputSchema: repairSchema(outputSchema) } : {}),
    ...(annotations ? { annotations: repairAnnotations(annotations) } : {}),
  };
}

function repairSchema({ $schema, properties, required, ...others }: ObjectSchema): ObjectSchema {
  return {
    ...others,
    ...(typeof $schema === "string" ? { $schema } : {}),
    ...(isObject(properties) ? { properties: repairProperties(properties) } : {}),
    ...(Array.isArray(required) && required.every(isText) ? { required } : {}),
  };
}

/** Replaces `true` and `false`: they are valid schemas, but clients of 2025 accept objects only. */
const repairProperties = (properties: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [
      name,
      isObject(schema) ? schema : schema === false ? { not: {} } : {},
    ]),
  );

const repairAnnotations = (annotations: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(annotations).filter(([name, value]) => {
      const type = ANNOTATION_TYPES.get(name);
      return type === undefined || typeof value === type;
    }),
  );

const ANNOTATION_TYPES: ReadonlyMap<string, string> = new Map([
  ["title", "string"],
  ["readOnlyHint", "boolean"],
  ["destructiveHint", "boolean"],
  ["idempotentHint", "boolean"],
  ["openWorldHint", "boolean"],
]);

const isText = (value: unknown): boolean => typeof value === "string";

/** Returns the same text for equal values, independent of the order of members. */
function canonicalize(value: unknown, depth: number): string | undefined {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (depth === MAX_DEPTH) return undefined;
  const isList = Array.isArray(value);
  const parts: string[] = [];
  for (const name of isList ? value.keys() : Object.keys(value).sort()) {
    const member = (value as Record<string | number, unknown>)[name];
    if (member === undefined) continue;
    const text = canonicalize(member, depth + 1);
    if (text === undefined) return undefined;
    parts.push(isList ? text : `${JSON.stringify(name)}:${text}`);
  }
  return isList ? `[${parts.join(",")}]` : `{${parts.join(",")}}`;
}
