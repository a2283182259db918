/** Returns the value at a JSON pointer (RFC 6901); undefined if there is none. */
import { unescapePointerStep } from "./parse-strict.ts";

export function readPointer(root: unknown, pointer: string): unknown {
  let value = root;
  for (const step of pointer.split("/").slice(1).map(unescapePointerStep)) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step))
      return undefined;
    value = Reflect.get(value, step);
  }
  return value;
}
