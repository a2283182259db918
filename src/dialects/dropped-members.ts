/** Accepts members of a request that are dropped. */
import { z } from "zod";

/** Returns the members of a schema; the compatibility table in docs/dialects.md lists them. */
export const droppedMembers = <Name extends string>(
  names: readonly Name[],
): Record<Name, z.ZodOptional<z.ZodUnknown>> =>
  // Object.fromEntries forgets the names.
  Object.fromEntries(names.map((name) => [name, z.unknown().optional()])) as Record<
    Name,
    z.ZodOptional<z.ZodUnknown>
  >;
