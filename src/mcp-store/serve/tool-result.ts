/** Builds tool results. Errors are results too, because clients treat a 4xx response as a broken connection. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { AppError } from "../../contract/errors.ts";
import { isObject } from "../../lib/json/json-object.ts";
import { isExactInteger } from "../../lib/json/parse-exact-json.ts";

export const errorResult = (text: string): CallToolResult => ({
  content: [{ type: "text", text }],
  isError: true,
});

/** Returns the message of an AppError. Other errors are logged by the caller and not sent. */
export function toErrorResult(error: AppError): CallToolResult {
  const { code, message } = error;
  return { ...errorResult(message), structuredContent: { error: code, message } };
}

/** Before the revision of 2026, structured content must be an object. */
export function toLegacyResult(result: CallToolResult): CallToolResult {
  const { structuredContent: value } = result;
  if (value === undefined || (isObject(value) && !isExactInteger(value))) return result;
  return { ...result, structuredContent: { result: value } };
}

export const textResult = (
  text: string,
  structuredContent: Record<string, unknown>,
): CallToolResult => ({
  content: [{ type: "text", text }],
  structuredContent,
});
