/** Parses the JSON-RPC response to a tool call without rounding the long integers of its result. */
import { isObject } from "../../lib/json/json-object.ts";
import { isExactInteger, parseBoundedExactJson } from "../../lib/json/parse-exact-json.ts";

/** Rounds the size of a linked resource, because the SDK requires a number. */
export function parseToolResponse(text: string): unknown {
  const response = parseBoundedExactJson(text);
  // A server of an early revision may send a batch.
  for (const message of [response].flat()) {
    const result = isObject(message) ? message.result : undefined;
    const content = isObject(result) && Array.isArray(result.content) ? result.content : [];
    for (const block of content) {
      if (isObject(block) && isExactInteger(block.size)) {
        block.size = Number(JSON.stringify(block.size));
      }
    }
  }
  return response;
}
