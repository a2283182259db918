/** Counts the work of checking values against JSON Schemas, which callers write. */

/** Work of the checks of one evaluation. */
export interface SchemaWork {
  steps: number;
  /** Sizes of lists and objects that were measured. */
  sizes: WeakMap<object, number>;
}

export const startSchemaWork = (): SchemaWork => ({ steps: 0, sizes: new WeakMap() });

const COMPARED = ["type", "enum", "const", "required"];
/** Characters that take as long as a step, and as long as the name of a member, on average. */
const CHARACTERS_PER_STEP = 1000;
const CHARACTERS_PER_NAME = 200;

/** Counts one step, and more for long texts and lists and many members, which a reference can repeat. */
export function countSteps(
  schema: Readonly<Record<string, unknown>>,
  value: unknown,
  { sizes }: SchemaWork,
): number {
  let size = typeof value === "string" ? value.length : 0;
  for (const keyword of COMPARED) size += measure(schema[keyword], writtenSize, sizes);
  size += measure(schema.properties, namesSize, sizes) + measure(value, namesSize, sizes);
  return 1 + size / CHARACTERS_PER_STEP;
}

const writtenSize = (listed: object) => JSON.stringify(listed).length;
const namesSize = (value: object) =>
  Array.isArray(value) ? 0 : Object.keys(value).length * CHARACTERS_PER_NAME;

/** Measures a list or an object once. */
function measure(
  value: unknown,
  sizeOf: (value: object) => number,
  sizes: SchemaWork["sizes"],
): number {
  if (typeof value !== "object" || value === null) return 0;
  const size = sizes.get(value) ?? sizeOf(value);
  sizes.set(value, size);
  return size;
}
