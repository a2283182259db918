/** The chat completions format of OpenAI and compatible servers, for clients and upstreams. */
import type { InboundDialect, OutboundDialect } from "../dialect.ts";
import { readOpenAiError, writeOpenAiError } from "../openai-errors.ts";
import { createChatStreamReader } from "./read-events.ts";
import { readChatRequest } from "./read-request.ts";
import { readChatResponse } from "./read-response.ts";
import { CHAT_DROPPED } from "./request-schema.ts";
import { createChatStreamWriter } from "./write-events.ts";
import { writeChatRequest } from "./write-request.ts";
import { writeChatResponse } from "./write-response.ts";

export const chat: InboundDialect & OutboundDialect = {
  readRequest: readChatRequest,
  memberNames: { output_format: "response_format", reasoning: "reasoning_effort" },
  dropped: CHAT_DROPPED,
  writeResponse: writeChatResponse,
  createStreamWriter: createChatStreamWriter,
  writeError: writeOpenAiError,
  path: () => "/chat/completions",
  writeRequest: writeChatRequest,
  readResponse: readChatResponse,
  createStreamReader: createChatStreamReader,
  readError: readOpenAiError,
};
