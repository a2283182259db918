/** Translates the cases of every pair of dialects; the results are the golden files. */
import { EventStreamCodec } from "@smithy/eventstream-codec";
import { AppError } from "../../src/contract/errors.ts";
import { inboundDialects, outboundDialects } from "../../src/dialects/all.ts";
import { memberError } from "../../src/dialects/decode-member.ts";
import type { InboundDialect, OutboundDialect } from "../../src/dialects/dialect.ts";
import type { DialectName } from "../../src/dialects/neutral.ts";
import { createStreamTranslator } from "../../src/dialects/translate-stream.ts";
import type { JsonObject } from "../../src/lib/json/json-object.ts";
import * as chat from "./cases/chat.ts";
import * as converse from "./cases/converse.ts";
import type { RequestCases, ResponseCase, ResponseCases } from "./cases/dialect-cases.ts";
import * as generate_content from "./cases/generate-content.ts";
import * as messages from "./cases/messages.ts";
import * as responses from "./cases/responses.ts";

export const CASES: Partial<
  Record<DialectName, { requests?: RequestCases; responses?: ResponseCases }>
> = { chat, responses, messages, converse, generate_content };

export interface GoldenFile {
  /** Below test/dialects/golden. */
  path: string;
  content: JsonObject;
}

/** Returns the golden files of all pairs: a request for each of the client's, a response for each of the upstream's. */
export function translateCases(): GoldenFile[] {
  const files: GoldenFile[] = [];
  for (const [from, inbound] of Object.entries(inboundDialects)) {
    for (const [to, outbound] of Object.entries(outboundDialects)) {
      if (from === to) continue;
      const { requests = {} } = CASES[from as DialectName] ?? {};
      const { responses = {} } = CASES[to as DialectName] ?? {};
      const folder = `${from}-${to}`.replaceAll("_", "-");
      for (const [name, body] of Object.entries(requests)) {
        const model = MODELS[to] ?? "upstream-model";
        const content = translateRequest(inbound, outbound, { model, body });
        files.push({ path: `${folder}/request-${name}.json`, content });
      }
      for (const [name, given] of Object.entries(responses)) {
        const content = translateResponse(inbound, outbound, given);
        files.push({ path: `${folder}/response-${name}.json`, content });
      }
    }
  }
  return files;
}

/** Models of dialects whose parameters depend on the model. */
const MODELS: Record<string, string> = { converse: "us.anthropic.claude-sonnet-4-6" };

function translateRequest(
  inbound: InboundDialect,
  outbound: OutboundDialect,
  { model, body: client_request }: { model: string; body: JsonObject },
): JsonObject {
  const upstream_request = attempt(() =>
    outbound.writeRequest(inbound.readRequest(client_request, { stream: false }), {
      model,
      upstream_model: model,
      reject(member, reason) {
        throw memberError(inbound.memberNames[member] ?? member, reason);
      },
    }),
  );
  return { client_request, upstream_request };
}

function translateResponse(
  inbound: InboundDialect,
  outbound: OutboundDialect,
  { status = 200, body, events }: ResponseCase,
): JsonObject {
  if (status >= 400) {
    const client_response = inbound.writeError(outbound.readError(status, body));
    return { status, upstream_response: body, client_response };
  }
  const whole = body !== undefined && {
    upstream_response: body,
    // Only errors have another body than an object.
    client_response: attempt(() =>
      inbound.writeResponse(outbound.readResponse(body as JsonObject), REPLY),
    ),
  };
  const stream = events && {
    upstream_events: events,
    client_events: attempt(() => translateEvents(inbound, outbound, events)),
  };
  return { ...whole, ...stream };
}

/** The client requests the usage of a stream where its dialect needs that. */
export const REPLY = {
  model: "client-model",
  id: "1",
  created: 1_700_000_000,
  request: { stream_options: { include_usage: true } },
};

function translateEvents(
  inbound: InboundDialect,
  outbound: OutboundDialect,
  events: NonNullable<ResponseCase["events"]>,
): JsonObject[] {
  const translator = createStreamTranslator(
    outbound.createStreamReader(),
    inbound.createStreamWriter(REPLY),
    { source: outbound.framing?.createSplitter() },
  );
  const text = translator.push(encodeEvents(outbound, events)) + translator.end();
  return text
    .split("\n\n")
    .filter(Boolean)
    .map((event) => {
      const data = event.slice(event.indexOf("data: ") + "data: ".length);
      return data.startsWith("{") ? JSON.parse(data) : { data };
    });
}

/** Encodes the events of a case as an upstream sends them. */
export const encodeEvents = (
  { framing }: OutboundDialect,
  events: NonNullable<ResponseCase["events"]>,
): Buffer => (framing ? encodeMessages(events) : Buffer.from(formatEvents(events)));

export const formatEvents = (events: NonNullable<ResponseCase["events"]>): string =>
  events
    .map((event) => {
      const name = event !== "[DONE]" && event.type ? `event: ${String(event.type)}\n` : "";
      const data = event === "[DONE]" ? event : JSON.stringify(event);
      return `${name}data: ${data}\n\n`;
    })
    .join("");

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes).toString(),
  (text) => Buffer.from(text),
);

/** Encodes events of Bedrock: objects with one member, which is named as the type of the event. */
const encodeMessages = (events: NonNullable<ResponseCase["events"]>): Buffer =>
  Buffer.concat(
    events.flatMap(Object.entries).map(([name, payload]) => {
      const type = name.endsWith("Exception") ? "exception" : "event";
      const headers = {
        [`:${type}-type`]: { type: "string" as const, value: name },
        ":message-type": { type: "string" as const, value: type },
      };
      return codec.encode({ headers, body: Buffer.from(JSON.stringify(payload)) });
    }),
  );

/** Returns the error that a client gets. */
function attempt<Result>(translate: () => Result): Result | { error: JsonObject } {
  try {
    return translate();
  } catch (thrown) {
    const { code, message, details } = AppError.from(thrown);
    if (code === "internal") throw thrown;
    return { error: { code, message, ...details } };
  }
}

export const GOLDEN_FOLDER = "test/dialects/golden";

/** Formats each event on one line. */
export function formatGolden(content: JsonObject): string {
  const members = Object.entries(content).map(([name, value]) => {
    const text =
      name.endsWith("_events") && Array.isArray(value) ? formatLines(value) : indent(value);
    return `  ${JSON.stringify(name)}: ${text}`;
  });
  return `{\n${members.join(",\n")}\n}\n`;
}

const formatLines = (events: unknown[]): string =>
  `[\n${events.map((event) => `    ${JSON.stringify(event)}`).join(",\n")}\n  ]`;

const indent = (value: unknown): string => JSON.stringify(value, null, 2).replaceAll("\n", "\n  ");
