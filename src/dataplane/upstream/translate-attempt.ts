/** Translates a request for a registry that does not support the client's API format, and the response. */
import type { Capability } from "../../contract/gateway/registries.ts";
import { findShippedModel } from "../../contract/gateway/shipped-models.ts";
import type { Deps } from "../../deps.ts";
import { inboundDialects, outboundDialects } from "../../dialects/all.ts";
import { memberError } from "../../dialects/decode-member.ts";
import type { InboundDialect, OutboundDialect, ReplyContext } from "../../dialects/dialect.ts";
import { invalidResponse } from "../../dialects/invalid-response.ts";
import type { NeutralRequest, Usage } from "../../dialects/neutral.ts";
import { createStreamTranslator } from "../../dialects/translate-stream.ts";
import { isObject, type JsonObject } from "../../lib/json/json-object.ts";
import { isTooDeep, measureJson } from "../../lib/json/measure-json.ts";
import { isEventStream, type ReplyHeaders } from "../../net/http/read-header-block.ts";
import { type Bytes, createWholeReply, type Reply } from "../../net/http/reply.ts";
import { listCapabilities, type ProviderOperation } from "../../providers/provider.ts";
import type { RegistryView } from "../../snapshot/snapshot.ts";
import type { JsonBody } from "../body/request-body.ts";
import type { Candidate } from "../routing/choose-registries.ts";
import type { RoutedRequest } from "../stages.ts";
import { readReply } from "./upstream-reply.ts";

export interface Translation {
  /** Path of the upstream request. */
  tail: string;
  /** Media type of the upstream's response. */
  accept: string;
  body: Bytes;
  translateReply: (reply: Reply) => Reply | Promise<Reply>;
  /** Usage of the translated response, once it has ended. A chat client may not get it in its stream. */
  usage: Usage | undefined;
}

/** Returns the format to translate to: the first one of the provider. Undefined if the endpoint is not translated. */
export function findOutboundDialect(
  { provider, capabilities }: RegistryView,
  inbound: Capability,
): Capability | undefined {
  if (!inboundDialects[inbound]) return undefined;
  return listCapabilities(provider).find(
    (name) => outboundDialects[name] && capabilities.has(name),
  );
}

/** Returns the path of a whole response, for routing explanations. */
export const getTranslatedTail = ({ capability, model }: Candidate): string =>
  outboundDialects[capability]?.path({ model, stream: false }) ?? "";

/** Returns undefined if the registry supports the client's format: bytes then pass unchanged. */
export function translateAttempt(
  deps: Pick<Deps, "now">,
  routed: RoutedRequest,
  { capability, model, registry }: Candidate,
): Translation | undefined {
  const { capability: own } = routed;
  if (capability === own || routed.body.kind !== "json") return undefined;
  const inbound = inboundDialects[own];
  const outbound = outboundDialects[capability];
  if (!inbound || !outbound) return undefined;

  const stream = routed.endpoint.streams === true;
  const { body, request } = readRequest(routed.body, inbound, stream);
  const operation = registry.provider.operations[capability];
  const max_output =
    (model && findShippedModel(registry.provider.kind, model)?.max_output) || undefined;
  const written = outbound.writeRequest(limitOutput(request, max_output), {
    model: operation?.modelInPath?.(registry.upstream) ? undefined : model,
    max_output,
    upstream_model: model ?? "",
    reject(member, reason) {
      throw memberError(inbound.memberNames[member] ?? member, reason);
    },
  });
  const reply: ReplyContext = {
    model: routed.progress.model_asked ?? model ?? "",
    id: routed.context.request_id,
    created: Math.floor(deps.now().getTime() / 1000),
    request: body,
  };
  const translation: Translation = {
    tail: outbound.path({ model, stream: request.stream }),
    accept: request.stream ? getStreamType(outbound) : "application/json",
    body: Buffer.from(JSON.stringify(renameMembers(written, operation))),
    translateReply: (received) =>
      translateReply(received, {
        inbound,
        outbound,
        reply,
        isStream: request.stream,
        onUsage(usage) {
          translation.usage = usage;
        },
      }),
    usage: undefined,
  };
  return translation;
}

/** Lowers a limit that the model rejects: agents send the maximum of the model they were made for. */
const limitOutput = (request: NeutralRequest, max_output = Number.POSITIVE_INFINITY) =>
  (request.max_tokens ?? 0) > max_output ? { ...request, max_tokens: max_output } : request;

const getStreamType = ({ framing }: OutboundDialect): string =>
  framing?.content_type ?? "text/event-stream";

interface ReadBody {
  body: JsonObject;
  request: NeutralRequest;
}

/** Failover reads a body once. A masked body is another object. */
const readBodies = new WeakMap<JsonBody, ReadBody>();

function readRequest(body: JsonBody, inbound: InboundDialect, stream: boolean): ReadBody {
  const known = readBodies.get(body);
  if (known) return known;
  const text = toText(body.members.bytes);
  if (measureJson(text).weight > MAX_WEIGHT) throw memberError("", TOO_MANY_VALUES);
  // scanJsonBody accepts only an object.
  const parsed = JSON.parse(text) as JsonObject;
  const read = { body: parsed, request: inbound.readRequest(parsed, { stream }) };
  readBodies.set(body, read);
  return read;
}

/** About 50,000 content parts. Each takes microseconds to validate, and other requests wait meanwhile. */
const MAX_WEIGHT = 8 * 1024 * 1024;
const TOO_MANY_VALUES =
  "has too many JSON values to be translated for this model's upstream; send fewer content parts";

function renameMembers(body: JsonObject, operation: ProviderOperation | undefined): JsonObject {
  for (const [name, other] of Object.entries(operation?.translated ?? {})) {
    if (!(name in body)) continue;
    if (other !== null) body[other] = body[name];
    delete body[name];
  }
  return body;
}

interface ReplyTranslation {
  inbound: InboundDialect;
  outbound: OutboundDialect;
  reply: ReplyContext;
  isStream: boolean;
  onUsage: (usage: Usage | undefined) => void;
}

function translateReply(received: Reply, translation: ReplyTranslation): Reply | Promise<Reply> {
  const { status, headers } = received;
  if (headers.get("content-encoding") !== undefined) {
    received.cancel();
    throw invalidResponse("is compressed, although the request does not allow it");
  }
  if (status >= 400) return translateError(received, translation);
  const type = headers.get("content-type") ?? "";
  const isStream = translation.outbound.framing
    ? type.startsWith(translation.outbound.framing.content_type)
    : isEventStream(headers);
  if (isStream !== translation.isStream) {
    received.cancel();
    throw invalidResponse(translation.isStream ? "is not a stream" : "is a stream");
  }
  return translation.isStream
    ? translateEvents(received, translation)
    : translateWhole(received, translation);
}

async function translateWhole(
  received: Reply,
  { inbound, outbound, reply, onUsage }: ReplyTranslation,
): Promise<Reply> {
  const body = parseJson(await readReply(received));
  if (!isObject(body)) throw invalidResponse("is not a JSON object");
  const response = outbound.readResponse(body);
  onUsage(response.usage);
  return toJsonReply(received, inbound.writeResponse(response, reply));
}

async function translateError(
  received: Reply,
  { inbound, outbound }: ReplyTranslation,
): Promise<Reply> {
  const bytes = await readReply(received);
  const body = parseJson(bytes) ?? Buffer.from(bytes).toString().slice(0, MAX_ERROR_CHARACTERS);
  return toJsonReply(received, inbound.writeError(outbound.readError(received.status, body)));
}

/** Caps an error page that is not JSON. */
const MAX_ERROR_CHARACTERS = 1000;

const toJsonReply = (received: Reply, body: JsonObject): Reply =>
  createWholeReply(
    { status: received.status, headers: withType(received, "application/json") },
    Buffer.from(JSON.stringify(body)),
  );

/** Keeps the upstream's other headers, such as its request id and rate limits. */
const withType = ({ headers }: Reply, type: string): ReplyHeaders => ({
  get: (name) => (name === "content-type" ? type : headers.get(name)),
  entries: () => headers.entries(),
});

function translateEvents(
  received: Reply,
  { inbound, outbound, reply, onUsage }: ReplyTranslation,
): Reply {
  const translator = createStreamTranslator(
    outbound.createStreamReader(),
    inbound.createStreamWriter(reply),
    { onUsage, source: outbound.framing?.createSplitter() },
  );
  let isEnded = false;

  /** Many events have no text for the client, so it reads until one has. */
  async function read(): Promise<Bytes | undefined> {
    while (!isEnded) {
      const chunk = await received.read();
      const text = chunk ? translator.push(chunk) : translator.end();
      isEnded = !chunk || translator.isOver();
      if (isEnded && chunk) received.cancel();
      if (text !== "") return Buffer.from(text);
    }
    return undefined;
  }

  const headers = withType(received, "text/event-stream; charset=utf-8");
  const { status, cancel } = received;
  return { status, headers, whole: undefined, read, exclusive: false, cancel };
}

const toText = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();

function parseJson(bytes: Uint8Array): unknown {
  const text = toText(bytes);
  if (isTooDeep(text)) throw invalidResponse("is nested too deep");
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
