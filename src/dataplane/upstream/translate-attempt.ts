/** Translates a request for a registry that does not support the client's API format. */
import { findShippedModel } from "../../contract/gateway/shipped-models.ts";
import type { Deps } from "../../deps.ts";
import { inboundDialects, outboundDialects } from "../../dialects/all.ts";
import { memberError } from "../../dialects/decode-member.ts";
import type { InboundDialect, OutboundDialect, ReplyContext } from "../../dialects/dialect.ts";
import { MAX_TRANSLATED_WEIGHT } from "../../dialects/invalid-response.ts";
import type { NeutralRequest, Usage } from "../../dialects/neutral.ts";
import { hasTooManyArguments } from "../../dialects/parse-arguments.ts";
import type { JsonObject } from "../../lib/json/json-object.ts";
import { measureJson } from "../../lib/json/measure-json.ts";
import { parseBoundedExactJson } from "../../lib/json/parse-exact-json.ts";
import { decodeUtf8 } from "../../lib/view-bytes.ts";
import type { Bytes, Reply } from "../../net/http/reply.ts";
import type { ProviderOperation } from "../../providers/provider.ts";
import type { JsonBody } from "../body/request-body.ts";
import type { Candidate } from "../routing/evaluate-registry.ts";
import type { RoutedRequest } from "../stages.ts";
import { translateReply } from "./translate-reply.ts";

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

/** Returns undefined if the registry supports the client's format: bytes then pass unchanged. */
export function translateAttempt(
  deps: Pick<Deps, "now" | "turns">,
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
        work: deps.turns.measure(routed.consumer.id),
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
  const text = decodeUtf8(body.members.bytes);
  if (measureJson(text).weight > MAX_TRANSLATED_WEIGHT) throw memberError("", TOO_MANY_VALUES);
  // scanJsonBody accepts only an object.
  const parsed = parseBoundedExactJson(text) as JsonObject;
  const request = inbound.readRequest(parsed, { stream });
  if (hasTooManyArguments(request.messages.flatMap(({ parts }) => parts))) {
    throw memberError("", TOO_MANY_ARGUMENTS);
  }
  const read = { body: parsed, request };
  readBodies.set(body, read);
  return read;
}

const TOO_MANY_VALUES =
  "has too many JSON values to be translated for this model's upstream; send fewer content parts";
const TOO_MANY_ARGUMENTS =
  "has too many JSON values in the arguments of tool calls to be translated for this model's upstream";

function renameMembers(body: JsonObject, operation: ProviderOperation | undefined): JsonObject {
  for (const [name, other] of Object.entries(operation?.translated ?? {})) {
    if (!(name in body)) continue;
    if (other !== null) body[other] = body[name];
    delete body[name];
  }
  return body;
}
