/** The members of a wire shape as rows for a reader: nested ones below theirs, references followed. */
import type { Schema } from "./schemas.ts";

export interface Member {
  name: string;
  depth: number;
  required: boolean;
  shape: Shape;
}

/** A schema with its references followed, and whether null is allowed beside it. */
export interface Shape {
  schema: Schema;
  nullable: boolean;
  /** Its component, when it has one. */
  component: string | undefined;
}

type Schemas = Record<string, Schema>;

export function shapeOf(given: Schema | boolean | undefined, schemas: Schemas): Shape {
  const schema = typeof given === "object" ? given : {};
  if (schema.$ref) {
    const component = schema.$ref.replace("#/components/schemas/", "");
    const { $ref: _, ...beside } = schema;
    const inner = shapeOf(schemas[component], schemas);
    return { ...inner, schema: { ...inner.schema, ...beside }, component };
  }
  const [first, ...others] = schema.anyOf?.filter(({ type }) => type !== "null") ?? [];
  if (first && others.length === 0) {
    const { anyOf: _, ...beside } = schema;
    const inner = shapeOf(first, schemas);
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

export function membersOf(given: Schema, schemas: Schemas): Member[] {
  return below(shapeOf(given, schemas), schemas, { depth: 0, within: [] });
}

/** What an array holds or a map leads to. */
export function elementOf({ schema }: Shape, schemas: Schemas): Shape | undefined {
  if (schema.type === "array" && !Array.isArray(schema.items))
    return shapeOf(schema.items, schemas);
  const values = schema.additionalProperties;
  const isMap = !schema.properties && typeof values === "object" && Object.keys(values).length > 0;
  return isMap ? shapeOf(values, schemas) : undefined;
}

interface Place {
  depth: number;
  /** The components around, so that one that holds itself is told once. */
  within: readonly string[];
}

function below(shape: Shape, schemas: Schemas, { depth, within }: Place): Member[] {
  const element = elementOf(shape, schemas);
  if (element) return below(element, schemas, { depth, within });
  const { component, schema } = shape;
  if (component && within.includes(component)) return [];
  const around = { depth: depth + 1, within: component ? [...within, component] : within };
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const inner = shapeOf(member, schemas);
    const required = schema.required?.includes(name) ?? false;
    return [{ name, depth, required, shape: inner }, ...below(inner, schemas, around)];
  });
}
