/** Parses the JSON-RPC response to a tool call without rounding the long integers of its result. */
import { isObject } from "../../lib/json/json-object.ts";
import { parseBoundedExactJson, roundMember } from "../../lib/json/parse-exact-json.ts";

/**
 * Rounds a result that is a long integer, so that the SDK rejects it, and the size of a linked resource, which the SDK
 * accepts only as a number.
 */
export function parseToolResponse(text: string): unknown {
  const response = parseBoundedExactJson(text);
  // A server of an early revision may send a batch.
  for (const message of [response].flat()) {
    if (!isObject(message)) continue;
    roundMember(message, "result");
    const { result } = message;
    const content = isObject(result) && Array.isArray(result.content) ? result.content : [];
    for (const block of content) if (isObject(block)) roundMember(block, "size");
  }
  return response;
}
