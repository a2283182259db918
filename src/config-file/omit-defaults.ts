/** Leaves out the members of a value that its schema would fill in. */
import { z } from "zod";

/** Keeps the order of the schema. The result decodes to the same value. */
export function omitDefaults(schema: z.ZodType, value: unknown): unknown {
  const type = unwrap(schema);
  if (Array.isArray(value)) {
    if (!(type instanceof z.ZodArray)) return value;
    const { element } = type;
    return value.map((item) => omitDefaults(element as z.ZodType, item));
  }
  if (typeof value !== "object" || value === null) return value;
  const members = value as Record<string, unknown>;
  const object = type instanceof z.ZodDiscriminatedUnion ? optionFor(type, members) : type;
  if (!(object instanceof z.ZodObject)) return value;
  const written = Object.entries(object.shape as Record<string, z.ZodType>).flatMap(
    ([name, member]) => {
      const given = members[name];
      if (given === undefined || isDefault(member, given)) return [];
      return [[name, omitDefaults(member, given)]];
    },
  );
  return Object.fromEntries(written);
}

const isDefault = (schema: z.ZodType, value: unknown): boolean =>
  (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) &&
  Bun.deepEquals(schema.safeParse(undefined).data, value);

/** Returns the schema inside wrappers; of a transform, the schema of its input. */
function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodPipe) return unwrap(schema.in);
  const isWrapper =
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable;
  return isWrapper ? unwrap(schema.unwrap()) : schema;
}

function optionFor(
  union: z.ZodDiscriminatedUnion,
  members: Record<string, unknown>,
): z.core.$ZodType | undefined {
  return union.options.find((option) => {
    const { [union.def.discriminator]: tag } = (option as z.ZodObject).shape;
    return tag?.safeParse(members[union.def.discriminator]).success;
  });
}
