/** The format of the Gemini API, for clients and upstreams. */
import type { InboundDialect, OutboundDialect } from "../dialect.ts";
import { GENERATE_CONTENT_DROPPED } from "./dropped.ts";
import { readError, writeError } from "./errors.ts";
import { createGenerateContentStreamReader } from "./read-events.ts";
import { GENERATE_CONTENT_MEMBER_NAMES, readGenerateContentRequest } from "./read-request.ts";
import { readGenerateContentResponse } from "./read-response.ts";
import { createGenerateContentStreamWriter } from "./write-events.ts";
import { writeGenerateContentRequest } from "./write-request.ts";
import { writeGenerateContentResponse } from "./write-response.ts";

export const generateContent: InboundDialect & OutboundDialect = {
  readRequest: readGenerateContentRequest,
  memberNames: GENERATE_CONTENT_MEMBER_NAMES,
  dropped: GENERATE_CONTENT_DROPPED,
  writeResponse: writeGenerateContentResponse,
  createStreamWriter: createGenerateContentStreamWriter,
  writeError,
  path: ({ model = "", stream }) =>
    `/models/${encodeURIComponent(model)}:${stream ? "streamGenerateContent" : "generateContent"}`,
  writeRequest: writeGenerateContentRequest,
  readResponse: readGenerateContentResponse,
  createStreamReader: createGenerateContentStreamReader,
  readError,
};
