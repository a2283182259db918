/** Lists the members of a schema as table rows: nested members follow their parent, references are resolved. */
import type { JsonSchema } from "./schemas.ts";

export interface SchemaMember {
  name: string;
  depth: number;
  required: boolean;
  shape: ResolvedSchema;
}

/** A schema with its reference resolved. */
export interface ResolvedSchema {
  schema: JsonSchema;
  nullable: boolean;
  /** Name of its component, if any. */
  component: string | undefined;
}

type Schemas = Record<string, JsonSchema>;

export function resolveSchema(
  given: JsonSchema | boolean | undefined,
  schemas: Schemas,
): ResolvedSchema {
  const schema = typeof given === "object" ? given : {};
  if (schema.$ref) {
    const component = schema.$ref.replace("#/components/schemas/", "");
    const { $ref: _, ...beside } = schema;
    const inner = resolveSchema(schemas[component], schemas);
    return { ...inner, schema: { ...inner.schema, ...beside }, component };
  }
  const [first, ...others] = schema.anyOf?.filter(({ type }) => type !== "null") ?? [];
  if (first && others.length === 0) {
    const { anyOf: _, ...beside } = schema;
    const inner = resolveSchema(first, schemas);
    return { ...inner, schema: { ...inner.schema, ...beside }, nullable: true };
  }
  const types = [schema.type ?? []].flat();
  const [type] = types.filter((name) => name !== "null");
  const nullable = types.includes("null");
  return {
    schema: nullable && type ? { ...schema, type } : schema,
    nullable,
    component: undefined,
  };
}

export function membersOf(given: JsonSchema, schemas: Schemas): SchemaMember[] {
  return listBelow(resolveSchema(given, schemas), schemas, { depth: 0, within: [] });
}

/** Returns the schema of an array's items or a map's values. */
export function elementOf(
  { schema }: ResolvedSchema,
  schemas: Schemas,
): ResolvedSchema | undefined {
  if (schema.type === "array" && !Array.isArray(schema.items))
    return resolveSchema(schema.items, schemas);
  const values = schema.additionalProperties;
  const isMap = !schema.properties && typeof values === "object" && Object.keys(values).length > 0;
  return isMap ? resolveSchema(values, schemas) : undefined;
}

interface MemberPosition {
  depth: number;
  /** Enclosing components, to stop at recursion. */
  within: readonly string[];
}

function listBelow(
  shape: ResolvedSchema,
  schemas: Schemas,
  { depth, within }: MemberPosition,
): SchemaMember[] {
  const element = elementOf(shape, schemas);
  if (element) return listBelow(element, schemas, { depth, within });
  const { component, schema } = shape;
  if (component && within.includes(component)) return [];
  const around = { depth: depth + 1, within: component ? [...within, component] : within };
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const inner = resolveSchema(member, schemas);
    const required = schema.required?.includes(name) ?? false;
    return [{ name, depth, required, shape: inner }, ...listBelow(inner, schemas, around)];
  });
}
