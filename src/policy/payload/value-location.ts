/** Location of a value in a payload, and its source as far as known. */
import { escapePointerStep } from "../../lib/json/parse-strict.ts";
import type { SegmentSource } from "../segment.ts";

export interface ValueLocation {
  source: SegmentSource;
  role: string | null;
  pointer: string;
  inner: string | null;
  /** Last step of the pointer, unescaped. Stored, since extracting it is linear in the length of the pointer. */
  name: string;
  /** Inside the schema of a function, whose words and empty values are not shown to approvers. */
  isSchema: boolean;
  /** Inside a member that contains the text of a file. */
  isFile: boolean;
  /** MIME type that a member beside this one declares. */
  content_type: string | null;
}

/** Returns the location of a member or an item. */
export function childLocation(
  location: ValueLocation,
  key: string | number,
  content_type: string | null = null,
): ValueLocation {
  const { source, role, pointer, inner, isSchema, isFile } = location;
  const step = typeof key === "number" ? key : escapePointerStep(key);
  const name = typeof key === "number" ? "" : key;
  return inner === null
    ? { source, role, pointer: `${pointer}/${step}`, inner, name, isSchema, isFile, content_type }
    : { source, role, pointer, inner: `${inner}/${step}`, name, isSchema, isFile, content_type };
}
