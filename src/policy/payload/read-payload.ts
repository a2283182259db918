/** What does a payload say, who says each piece of it, and where does the piece stand? */
import type { SegmentSource } from "../segment.ts";
import { BODY_READERS } from "./body-readers.ts";
import { envelopeTable, isBareMcp, isEnvelope, readMcpResult } from "./json-rpc.ts";
import { readMessage } from "./messages.ts";
import {
  type Attachment,
  isObject,
  type JsonObject,
  type Payload,
  type PayloadContext,
  stringOrNull,
} from "./payload.ts";
import { readTool } from "./read-tool.ts";
import { readCall } from "./tools.ts";
import { readMembers, type ValueLocation } from "./value-readers.ts";

export function readPayload(payload: JsonObject, about: PayloadContext): Payload {
  const { attachments, ...body } = payload;
  const out: Payload = {
    segments: [],
    values: [],
    dropped_values: 0,
    names: new Set(),
    calls: [],
    definitions: [],
    model:
      stringOrNull(body.model) ?? stringOrNull(body.modelId) ?? stringOrNull(body.modelVersion),
    attachments: readAttachments(attachments),
    documents: [],
    uninspected: [],
    tool: readTool(body, about),
  };
  const top: ValueLocation = {
    source: defaultSource(about),
    role: null,
    pointer: "",
    inner: null,
    name: "",
  };
  const { read } = BODY_STYLES.find(({ fits }) => fits(body, about)) ?? ANY_BODY;
  read(out, body, { top, about });
  if (about.direction === "output") ignoreClaimedRoles(out, top.source);
  else readShellCall(out, body);
  return out;
}

/** An answer was written by who gave it: claiming to be the user, or the system, hides it from no output rule. */
function ignoreClaimedRoles({ segments }: Payload, source: SegmentSource): void {
  for (const segment of segments) {
    const claimed = segment.source === "user" || segment.source === "system";
    if (claimed && segment.role !== null) segment.source = source;
  }
}

/** Coding agents send the command line alone, and which shell it is for beside it. */
function readShellCall({ tool, calls }: Payload, { input }: JsonObject): void {
  if (tool.name === null || typeof input !== "string" || calls.length > 0) return;
  calls.push({ name: tool.name, pointer: "/input", arguments: { command: input } });
}

interface BodyReader {
  fits: (body: JsonObject, about: PayloadContext) => boolean;
  read: (
    out: Payload,
    body: JsonObject,
    given: { top: ValueLocation; about: PayloadContext },
  ) => void;
}

const ANY_BODY: BodyReader = {
  fits: () => true,
  read: (out, body, { top }) => readMembers(out, body, top, BODY_READERS),
};

/** By shape, the first that fits. What its table does not name is read all the same. */
const BODY_STYLES: readonly BodyReader[] = [
  {
    fits: isEnvelope,
    read: (out, body, { top, about }) => readMembers(out, body, top, envelopeTable(body, about)),
  },
  {
    fits: isBareMcp,
    read: (out, body, { top, about }) =>
      (about.direction === "input" ? readCall : readMcpResult)(out, body, top),
  },
  {
    fits: ({ role }) => typeof role === "string",
    read: (out, body, { top }) => readMessage(out, body, top),
  },
  ANY_BODY,
];

/** Who wrote what no role is given for. */
function defaultSource({ direction, protocol }: PayloadContext): SegmentSource {
  if (direction === "input") return "user";
  return protocol === "mcp" ? "tool_result" : "assistant";
}

function readAttachments(value: unknown): Attachment[] {
  if (value === undefined || value === null) return [];
  const entries = Array.isArray(value) ? value : [value];
  return entries.map((entry: unknown, index) => {
    const { filename, content_type, data, url } = isObject(entry) ? entry : {};
    return {
      filename: stringOrNull(filename),
      content_type: stringOrNull(content_type),
      data: stringOrNull(data),
      url: stringOrNull(url),
      pointer: Array.isArray(value) ? `/attachments/${index}` : "/attachments",
    };
  });
}
