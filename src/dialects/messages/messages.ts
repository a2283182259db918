/** The messages format of Anthropic, for clients and upstreams. */
import type { InboundDialect, OutboundDialect } from "../dialect.ts";
import { readMessagesError, writeMessagesError } from "./errors.ts";
import { createMessagesStreamReader } from "./read-events.ts";
import { readMessagesRequest } from "./read-request.ts";
import { readMessagesResponse } from "./read-response.ts";
import { MESSAGES_DROPPED } from "./request-schema.ts";
import { createMessagesStreamWriter } from "./write-events.ts";
import { writeMessagesRequest } from "./write-request.ts";
import { writeMessagesResponse } from "./write-response.ts";

export const messages: InboundDialect & OutboundDialect = {
  readRequest: readMessagesRequest,
  memberNames: {
    stop: "stop_sequences",
    output_format: "output_config.format",
    reasoning: "thinking",
    parallel_tool_calls: "tool_choice.disable_parallel_tool_use",
    user: "metadata.user_id",
  },
  dropped: MESSAGES_DROPPED,
  writeResponse: writeMessagesResponse,
  createStreamWriter: createMessagesStreamWriter,
  writeError: writeMessagesError,
  path: () => "/messages",
  writeRequest: writeMessagesRequest,
  readResponse: readMessagesResponse,
  createStreamReader: createMessagesStreamReader,
  readError: readMessagesError,
};
