/** Finds the ids of uploaded files, and of vector stores made of them, that a JSON body refers to. */
import { AppError } from "../contract/errors.ts";
import { parseStrictText } from "../lib/json/parse-strict.ts";
import { readPartType } from "./read-part-type.ts";

/** More than any provider takes in one request. */
const MAX_IDS = 1000;

/** Parsing blocks all other requests. Lists of tokens (embeddings) are long, other bodies are not. */
const MAX_VALUES = 300_000;

export function findReferencedFiles(bytes: Uint8Array): string[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
  // Most bodies hold no such name, and need no tree.
  if (!MAY_REFER.test(text)) return [];
  // Of a repeated name an upstream may take another than we do.
  const parsed = parseStrictText(text, MAX_VALUES);
  if (!parsed.ok) throw new AppError("invalid_request", `The body is ${parsed.reason}.`);
  const ids = new Set<string>();
  // The members of the body itself: its `type`, if it has one, exempts nothing.
  for (const [name, inner] of Object.entries(parsed.value ?? {})) {
    if (name !== "metadata") collect(inner, ids, REFERENCE.test(name));
  }
  if (ids.size <= MAX_IDS) return [...ids];
  throw new AppError("invalid_request", `The body refers to more than ${MAX_IDS} files.`);
}

/** With `u`, `i` also matches the long s, as Go's parser does. An escape may hide any letter. */
const MAY_REFER = /(file|vector_store|collection)_?ids?"\s*:|\\u/iu;
/** Collections are xAI's vector stores. */
const REFERENCE = /^(.*_)?(file|vector_store|collection)_?ids?$/iu;

/** `referring`: text found here is an id. */
function collect(value: unknown, ids: Set<string>, referring: boolean): void {
  if (typeof value === "string") {
    if (referring) ids.add(value);
  } else if (Array.isArray(value)) {
    for (const item of value) collect(item, ids, referring);
  } else if (typeof value === "object" && value !== null) {
    const type = readPartType(value);
    for (const [name, inner] of Object.entries(value)) {
      const refers = REFERENCE.test(name);
      if (name === "metadata" || (name === "input" && type.endsWith("tool_use"))) continue;
      if (OUTPUTS.has(type) && (refers || NESTED_OUTPUTS.has(name))) continue;
      collect(inner, ids, refers);
    }
  }
}

/**
 * Parts of earlier responses that the client sends back: an upstream reads no file for them. Only their own
 * ids are exempt: a message that claims to be one of them has its parts read all the same.
 */
const OUTPUTS: ReadonlySet<string> = new Set([
  "file_citation",
  "container_file_citation",
  "file_path",
  "file_search_call",
  "code_execution_output",
  "bash_code_execution_output",
]);
const NESTED_OUTPUTS: ReadonlySet<string> = new Set(["file_path", "results"]);
