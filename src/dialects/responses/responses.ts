/** The responses format of OpenAI, for clients and upstreams. */
import type { InboundDialect, OutboundDialect } from "../dialect.ts";
import { readOpenAiError, writeOpenAiError } from "../openai-errors.ts";
import { RESPONSES_DROPPED } from "./dropped.ts";
import { createResponsesStreamReader } from "./read-events.ts";
import { RESPONSES_MEMBER_NAMES, readResponsesRequest } from "./read-request.ts";
import { readResponsesResponse } from "./read-response.ts";
import { createResponsesStreamWriter } from "./write-events.ts";
import { writeResponsesRequest } from "./write-request.ts";
import { writeResponsesResponse } from "./write-response.ts";

export const responses: InboundDialect & OutboundDialect = {
  readRequest: readResponsesRequest,
  memberNames: RESPONSES_MEMBER_NAMES,
  dropped: RESPONSES_DROPPED,
  writeResponse: writeResponsesResponse,
  createStreamWriter: createResponsesStreamWriter,
  writeError: writeOpenAiError,
  path: () => "/responses",
  writeRequest: writeResponsesRequest,
  readResponse: readResponsesResponse,
  createStreamReader: createResponsesStreamReader,
  readError: readOpenAiError,
};
