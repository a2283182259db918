/** Tool results of our own. A refusal is one too: clients take a 4xx here for a broken connection. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { AppError } from "../../contract/errors.ts";

export const errorResult = (text: string): CallToolResult => ({
  content: [{ type: "text", text }],
  isError: true,
});

/** What we threw is told; anything else is our bug and goes to the log of whoever catches it. */
export function toErrorResult(error: AppError): CallToolResult {
  const { code, message } = error;
  return { ...errorResult(message), structuredContent: { error: code, message } };
}

export const textResult = (
  text: string,
  structuredContent: Record<string, unknown>,
): CallToolResult => ({
  content: [{ type: "text", text }],
  structuredContent,
});
