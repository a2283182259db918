/** Finds the ids of uploaded files, and of vector stores made of them, that a JSON body refers to. */
import { AppError } from "../contract/errors.ts";
import { parseStrictText } from "../lib/json-strict.ts";

/** More than any provider takes in one request. */
const MAX_IDS = 1000;

export function referencedFiles(bytes: Uint8Array): string[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
  // Most bodies hold no such name, and need no tree.
  if (!MAY_REFER.test(text)) return [];
  // Of a repeated name an upstream may take another than we do.
  const parsed = parseStrictText(text);
  if (!parsed.ok) throw new AppError("invalid_request", `The body is ${parsed.reason}.`);
  const ids = new Set<string>();
  collect(parsed.value, ids, false);
  if (ids.size <= MAX_IDS) return [...ids];
  throw new AppError("invalid_request", `The body refers to more than ${MAX_IDS} files.`);
}

/** With `u`, `i` also matches the long s, as Go's parser does. An escape may hide any letter. */
const MAY_REFER = /(file|vector_store)_?ids?"\s*:|\\u/iu;
const REFERENCE = /^(.*_)?(file|vector_store)_?ids?$/iu;

/** `referring`: text found here is an id. */
function collect(value: unknown, ids: Set<string>, referring: boolean): void {
  if (typeof value === "string") {
    if (referring) ids.add(value);
  } else if (Array.isArray(value)) {
    for (const item of value) collect(item, ids, referring);
  } else if (typeof value === "object" && value !== null) {
    const type = "type" in value && typeof value.type === "string" ? value.type : "";
    if (OUTPUTS.has(type)) return;
    for (const [name, inner] of Object.entries(value)) {
      if (name === "metadata" || (name === "input" && type.endsWith("tool_use"))) continue;
      collect(inner, ids, REFERENCE.test(name));
    }
  }
}

/** Parts of earlier answers that the client sends back: an upstream reads no file for them. */
const OUTPUTS: ReadonlySet<string> = new Set([
  "file_citation",
  "container_file_citation",
  "file_path",
  "file_search_call",
  "code_execution_output",
  "bash_code_execution_output",
]);
