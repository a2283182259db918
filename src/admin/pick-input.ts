/** What a caller would write of a stored row: the members of its schema. */
import type { z } from "zod";
import type { ConfigKey } from "../contract/config-held.ts";
import type { KeyColumns } from "../db/keys.ts";

export function pickInput<Input extends z.ZodObject>(input: Input, row: object): z.output<Input> {
  const members = row as Record<string, unknown>;
  // Rows hold what this very schema let in.
  return Object.fromEntries(
    Object.keys(input.shape).map((name) => [name, members[name]]),
  ) as z.output<Input>;
}

/** A key as a configuration file has it. */
export const configKey = ({ name, expires_at, hash, hint }: KeyColumns): ConfigKey => ({
  name,
  expires_at,
  sha256: hash,
  hint,
});
