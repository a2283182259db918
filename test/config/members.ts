/** Lists the members of a schema, or of a value, as paths such as `failover.max_attempts`. */
import { z } from "zod";

/** Follows lists and tagged unions. Records and conditions are leaves. */
export function membersOf(schema: z.core.$ZodType): Set<string> {
  const paths = new Set<string>();
  const visit = (schemaInside: z.core.$ZodType, prefix: string): void => {
    const type = unwrap(schemaInside);
    if (type instanceof z.ZodDiscriminatedUnion) {
      for (const option of type.options) visit(option, prefix);
    } else if (type instanceof z.ZodObject) {
      for (const [name, member] of Object.entries(type.shape)) {
        paths.add(prefix + name);
        visit(member, `${prefix}${name}.`);
      }
    }
  };
  visit(schema, "");
  return paths;
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodPipe) return unwrap(schema.in);
  if (schema instanceof z.ZodArray) return unwrap(schema.element);
  const isWrapper =
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable;
  return isWrapper ? unwrap(schema.unwrap()) : schema;
}

export function membersIn(value: unknown): Set<string> {
  const paths = new Set<string>();
  const visit = (inner: unknown, prefix: string): void => {
    if (Array.isArray(inner)) for (const item of inner) visit(item, prefix);
    else if (typeof inner === "object" && inner !== null) {
      for (const [name, member] of Object.entries(inner)) {
        paths.add(prefix + name);
        visit(member, `${prefix}${name}.`);
      }
    }
  };
  visit(value, "");
  return paths;
}
