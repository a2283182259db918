/** Reads the texts, tools and attachments of a payload, with their sources and locations. */

import { isObject, type JsonObject } from "../../lib/json/json-object.ts";
import type { SegmentSource } from "../segment.ts";
import { BODY_READERS } from "./body-readers.ts";
import { envelopeTable, isBareMcp, isEnvelope, readMcpResult } from "./json-rpc.ts";
import { readMessage } from "./messages.ts";
import { type Attachment, type Payload, type PayloadContext, stringOrNull } from "./payload.ts";
import { readTool } from "./read-tool.ts";
import { readCall } from "./tools.ts";
import type { ValueLocation } from "./value-location.ts";
import { readMembers } from "./value-readers.ts";

export function readPayload(payload: JsonObject, about: PayloadContext): Payload {
  const body = about.is_foreign_body ? payload : dropAttachments(payload);
  const out: Payload = {
    segments: [],
    values: [],
    dropped_values: 0,
    ids: about.lists_ids ? [] : null,
    names: new Set(),
    calls: [],
    definitions: [],
    model:
      stringOrNull(body.model) ?? stringOrNull(body.modelId) ?? stringOrNull(body.modelVersion),
    attachments: about.is_foreign_body ? [] : readAttachments(payload.attachments),
    documents: [],
    pages: [],
    uninspected: [],
    respelled: null,
    tool: readTool(body, about),
  };
  const top: ValueLocation = {
    source: defaultSource(about),
    role: null,
    pointer: "",
    inner: null,
    name: "",
    isSchema: false,
    content_type: null,
    isFile: false,
  };
  const { read } = BODY_STYLES.find(({ fits }) => fits(body, about)) ?? ANY_BODY;
  read(out, body, { top, about });
  if (about.direction === "output") ignoreClaimedRoles(out, top.source);
  else readShellCall(out, body);
  numberTurns(out);
  return out;
}

const dropAttachments = ({ attachments: _, ...body }: JsonObject): JsonObject => body;

/** Ignores the roles `user` and `system` in a response, so that it cannot evade output rules with them. */
function ignoreClaimedRoles({ segments }: Payload, source: SegmentSource): void {
  for (const segment of segments) {
    const claimed = segment.source === "user" || segment.source === "system";
    if (claimed && segment.role !== null) segment.source = source;
  }
}

/** Numbers the turns of the conversation: text of the assistant or of a tool ends one. */
function numberTurns({ segments }: Payload): void {
  let turn = 0;
  for (const segment of segments) {
    segment.turn = turn;
    if (TURN_ENDS.has(segment.source) && /\S/.test(segment.text)) turn++;
  }
}

const TURN_ENDS: ReadonlySet<SegmentSource> = new Set([
  "assistant",
  "tool_arguments",
  "tool_result",
]);

/** Adds the call of a coding agent that sends only the command line, with the tool name in the attributes. */
function readShellCall({ tool, calls }: Payload, { input }: JsonObject): void {
  if (tool.name === null || typeof input !== "string" || calls.length > 0) return;
  calls.push({ name: tool.name, pointer: "/input", arguments: { command: input } });
}

interface BodyReader {
  fits: (body: JsonObject, about: PayloadContext) => boolean;
  read: (
    out: Payload,
    body: JsonObject,
    context: { top: ValueLocation; about: PayloadContext },
  ) => void;
}

const ANY_BODY: BodyReader = {
  fits: () => true,
  read: (out, body, { top }) => readMembers(out, body, top, BODY_READERS),
};

/** Body styles in order of precedence. Members that no table names are read as well. */
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
    read: readMessageBody,
  },
  ANY_BODY,
];

/** Reads a message. Members of a request beside it are read as in any body: a client may add a role to its request. */
function readMessageBody(out: Payload, body: JsonObject, { top }: { top: ValueLocation }): void {
  const members = Object.entries(body);
  const message = members.filter(([name]) => isMessageMember(name));
  readMessage(out, Object.fromEntries(message), top);
  if (message.length === members.length) return;
  const others = members.filter(([name]) => !isMessageMember(name));
  readMembers(out, Object.fromEntries(others), top, BODY_READERS);
}

const isMessageMember = (name: string): boolean => name === "content" || !BODY_READERS.has(name);

/** Returns the source of text without a role. */
function defaultSource({ direction, protocol }: PayloadContext): SegmentSource {
  if (direction === "input") return "user";
  return protocol === "mcp" ? "tool_result" : "assistant";
}

function readAttachments(value: unknown): Attachment[] {
  if (value === undefined || value === null) return [];
  const entries = Array.isArray(value) ? value : [value];
  return entries.map((entry: unknown, index) => {
    const { filename, content_type, data, url } = isObject(entry) ? entry : {};
    // Some clients write "" for an absent member. A file may be empty.
    const isEmptyFile = data === "" && typeof url !== "string";
    return {
      filename: stringOrNull(filename),
      content_type: stringOrNull(content_type),
      data: isEmptyFile ? "" : stringOrNull(data),
      url: stringOrNull(url),
      pointer: Array.isArray(value) ? `/attachments/${index}` : "/attachments",
    };
  });
}
