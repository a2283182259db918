/** Finds the items of a request that the upstream looks up by their ids, because they lack their content. */
import { isOwnItemId } from "../../dialects/responses/write-response.ts";
import { isObject, type JsonObject } from "../../lib/json/json-object.ts";
import { isSpellingOf } from "../../lib/text/fold-name.ts";
import { readPartType } from "../body/read-part-type.ts";

/** Collects the ids of such items from an item or lists of items. */
export function collectItemReferences(value: unknown, ids: Set<string>): void {
  if (Array.isArray(value)) for (const item of value) collectItemReferences(item, ids);
  else if (isObject(value) && !isComplete(value)) {
    for (const id of readMembers(value, "id")) {
      // Items of translated responses are stored nowhere.
      if (typeof id === "string" && !isOwnItemId(id)) ids.add(id);
    }
  }
}

/** Returns whether an item contains everything: an upstream has no reason to look it up. */
export function isComplete(item: JsonObject): boolean {
  const isMessage = readMembers(item, "type").every((type) => (type ?? null) === null);
  const type = isMessage ? "message" : readPartType(item);
  const content = CONTENT.get(type) ?? (type.endsWith("_output") ? ["output"] : []);
  return content.some((name) => isFilled(item[name]));
}

/** Returns the values of a member in every spelling that a lenient parser accepts. */
export const readMembers = (item: JsonObject, name: string): unknown[] =>
  Object.keys(item)
    .filter((each) => isSpellingOf(each, name))
    .map((each) => item[each]);

function isFilled(value: unknown): boolean {
  if (typeof value === "string") return value !== "";
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

/**
 * Members that contain what the upstream would look up otherwise, by the type of the item. Items of other types, such
 * as images and web searches, are always looked up.
 */
const CONTENT: ReadonlyMap<string, readonly string[]> = new Map([
  ["message", ["content"]],
  // OpenAI rejects `content`; upstreams that accept it store nothing.
  ["reasoning", ["encrypted_content", "content"]],
  ["compaction", ["encrypted_content"]],
  ["function_call", ["name"]],
  ["custom_tool_call", ["name"]],
  ["mcp_call", ["name"]],
  ["mcp_approval_request", ["name"]],
  ["mcp_list_tools", ["tools"]],
  ["tool_search_call", ["arguments"]],
  ["tool_search_output", ["tools"]],
  ["additional_tools", ["tools"]],
  ["computer_call", ["action", "actions"]],
  ["local_shell_call", ["action"]],
  ["shell_call", ["action"]],
  ["apply_patch_call", ["operation"]],
]);
