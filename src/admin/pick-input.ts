/** Returns the members of a stored row that a caller can set: those of the input schema. */
import type { z } from "zod";

export function pickInput<Input extends z.ZodObject>(input: Input, row: object): z.output<Input> {
  const members = row as Record<string, unknown>;
  // Rows were validated with this schema before they were stored.
  return Object.fromEntries(
    Object.keys(input.shape).map((name) => [name, members[name]]),
  ) as z.output<Input>;
}
