/** Returns a name that a client sends as a label for Activity; undefined if it is empty or not text. */
import { truncateName } from "./create-facts.ts";

export const toLabel = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? truncateName(value) : undefined;
