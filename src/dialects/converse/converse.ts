/** The Converse API of Amazon Bedrock, for upstreams. */
import { memberError } from "../decode-member.ts";
import type { OutboundDialect } from "../dialect.ts";
import { readConverseError } from "./errors.ts";
import { createConverseStreamReader } from "./read-events.ts";
import { readConverseResponse } from "./read-response.ts";
import { createConverseSplitter } from "./split-messages.ts";
import { writeConverseRequest } from "./write-request.ts";

export const converse: OutboundDialect = {
  path: ({ model = "", stream }) => {
    // Such a segment would change the path.
    if (/^\.{1,2}$/.test(model)) throw memberError("model", "must be the id of a Bedrock model");
    return `/model/${encodeURIComponent(model)}/${stream ? "converse-stream" : "converse"}`;
  },
  framing: {
    content_type: "application/vnd.amazon.eventstream",
    createSplitter: createConverseSplitter,
  },
  writeRequest: writeConverseRequest,
  readResponse: readConverseResponse,
  createStreamReader: createConverseStreamReader,
  readError: readConverseError,
};
