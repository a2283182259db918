/** Every dialect: those of clients, and those of upstreams. */
import type { Capability } from "../contract/gateway/registries.ts";
import { chat } from "./chat/chat.ts";
import { converse } from "./converse/converse.ts";
import type { InboundDialect, OutboundDialect } from "./dialect.ts";
import { generateContent } from "./generate-content/generate-content.ts";
import { messages } from "./messages/messages.ts";
import type { DialectName } from "./neutral.ts";
import { responses } from "./responses/responses.ts";

export const inboundDialects: Partial<Record<DialectName | Capability, InboundDialect>> = {
  chat,
  responses,
  messages,
  generate_content: generateContent,
};

export const outboundDialects: Partial<Record<DialectName | Capability, OutboundDialect>> = {
  chat,
  responses,
  messages,
  converse,
  generate_content: generateContent,
};
