/**
 * Validates what an upstream returns, within limits: a schema of the SDK takes up to 100 µs for each invalid value of a
 * list, and does not stop at the first one.
 */
import {
  type CallToolResult,
  SdkError,
  SdkErrorCode,
  SERVER_INFO_META_KEY,
  specTypeSchemas,
} from "@modelcontextprotocol/client";
import { AppError } from "../../contract/errors.ts";
import { isObject, type JsonObject } from "../../lib/json/json-object.ts";
import { hasMoreValues, measureValue } from "../../lib/json/measure-json.ts";

/** Limit for the content of a result: valid blocks take up to 70 µs each, if the SDK reads them again. */
const MAX_CONTENT_VALUES = 30_000;
/** Limit for one content block, which has lists of icons and of readers. */
const MAX_BLOCK_VALUES = 1_000;
/** Limit for a response to the SDK, without the content of a tool. */
const MAX_VALUES = 5_000;

/** Returns the content of a tool result. Rejects it at the first invalid block. */
export function readContent(content: unknown): CallToolResult["content"] {
  if (!Array.isArray(content)) throw invalidResult();
  if (hasMoreValues(content, MAX_CONTENT_VALUES)) {
    const text = `The content of the result has more than ${MAX_CONTENT_VALUES} values.`;
    throw new AppError("upstream_failed", text);
  }
  return content.map((block: unknown) => {
    const { _meta, ...others } = isObject(block) ? block : {};
    if (hasMoreValues(others, MAX_BLOCK_VALUES)) throw invalidResult();
    const parsed = specTypeSchemas.ContentBlock["~standard"].validate(block);
    if (parsed.issues) throw invalidResult();
    return parsed.value;
  });
}

/**
 * Removes the server info from a result: clients would read it as the info of this gateway. Rejects more members than
 * the SDK validates in time; their values are not validated.
 */
export function checkMeta({ _meta }: JsonObject): void {
  if (!isObject(_meta)) return;
  delete _meta[SERVER_INFO_META_KEY];
  if (Object.keys(_meta).length <= MAX_VALUES) return;
  throw new AppError("upstream_failed", `_meta has more than ${MAX_VALUES} members.`);
}

/** Limit for the response to a handshake, which the SDK keeps for each connection. */
const MAX_HANDSHAKE_BYTES = 256 * 1024;

/** Rejects a response, or a batch of them, that the SDK would validate for seconds or keep in memory. */
export function checkForSdk(response: object, is_tool_call: boolean): void {
  if (!is_tool_call && measureValue(response) > MAX_HANDSHAKE_BYTES) {
    const size = `${MAX_HANDSHAKE_BYTES / 1024} KiB`;
    throw new AppError("upstream_failed", `The server describes itself with more than ${size}.`);
  }
  const validated = [response].flat().map((one) => (is_tool_call ? checkToolResponse(one) : one));
  if (!hasMoreValues(validated, MAX_VALUES)) return;
  const text = `The response has more than ${MAX_VALUES} values besides the content of a tool.`;
  throw new AppError("upstream_failed", text);
}

/** Returns the response without what this function has checked, and what the SDK does not validate. */
function checkToolResponse(response: unknown): unknown {
  if (!isObject(response) || !isObject(response.result)) return response;
  checkMeta(response.result);
  const { content, structuredContent, _meta, ...others } = response.result;
  if (content !== undefined) readContent(content);
  return { ...response, result: others };
}

export const invalidResult = () =>
  new SdkError(SdkErrorCode.InvalidResult, "The server's response is invalid.");
