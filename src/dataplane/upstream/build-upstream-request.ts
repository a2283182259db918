/** Builds the upstream request of one attempt: address, headers and body. */
import type { Capability } from "../../contract/gateway/registries.ts";
import type { Deps } from "../../deps.ts";
import { continueTrace } from "../../lib/http/trace-context.ts";
import { type MemberScan, parseMember, scanMembers } from "../../lib/json/scan-members.ts";
import { spliceMember } from "../../lib/json/splice-member.ts";
import type { OutboundRequest } from "../../net/send.ts";
import { buildUrl, type Provider, type ProviderOperation } from "../../providers/provider.ts";
import type { RegistryView } from "../../snapshot/snapshot.ts";
import { mapBatchModels } from "../models/map-batch-models.ts";
import type { ModelReference } from "../models/model-reference.ts";
import { openCursors } from "../objects/list-cursors.ts";
import type { Candidate } from "../routing/evaluate-registry.ts";
import type { RoutedRequest } from "../stages.ts";
import type { Translation } from "./translate-attempt.ts";

export function buildUpstreamRequest(
  deps: Deps,
  routed: RoutedRequest,
  candidate: Candidate,
  translation: Translation | undefined,
): OutboundRequest {
  const { request, body } = routed;
  const { registry, model, capability } = candidate;
  const target = translation
    ? { tail: translation.tail, model, search: "" }
    : { tail: routed.tail, model, search: openCursors(deps, routed) };
  const out: OutboundRequest = {
    url: buildUrl(registry.provider, registry.upstream, target, capability),
    method: request.method,
    headers: buildHeaders(routed, registry, capability),
    allow_private: registry.allow_private,
    client: request,
    timeouts: {
      headers_ms: deps.settings.UPSTREAM_HEADER_TIMEOUT_S * 1000,
      idle_ms: deps.settings.UPSTREAM_IDLE_TIMEOUT_S * 1000,
    },
  };
  const operation = registry.provider.operations[capability];
  if (translation) {
    out.headers.accept = translation.accept;
    out.body = translation.body;
  } else if (body.kind === "json" && candidate.mapModel) {
    out.body = mapBatchModels(body.members.bytes, candidate.mapModel);
  } else if (body.kind === "json") {
    const inBody = routed.path_model === undefined ? model : undefined;
    out.body = buildJsonBody(routed.model, body.members, { model: inBody, operation });
  }
  if (body.kind === "form") {
    const inBody = model !== undefined && !operation?.modelInPath?.(registry.upstream);
    const { stream, length } = (inBody && body.withModel?.(model)) || body;
    out.body = stream();
    if (length !== undefined) out.content_length = length;
  }
  return out;
}

/** Returns the model that was sent upstream; a form keeps its pin (spec 4.4). */
export function getSentModel(
  { body, model, progress }: RoutedRequest,
  { registry, capability, model: sent }: Candidate,
) {
  const inPath = registry.provider.operations[capability]?.modelInPath?.(registry.upstream);
  const keepsPin = body.kind === "form" && !body.withModel && model.kind === "pinned" && !inPath;
  return keepsPin ? progress.model_asked : (sent ?? null);
}

/** Forwards only known client headers: never credentials, cookies, X-AG-* or client addresses. */
function buildHeaders(
  { request, body, endpoint, context }: RoutedRequest,
  { provider, upstream }: RegistryView,
  capability: Capability,
): Record<string, string> {
  const headers: Record<string, string> = {
    ...continueTrace(request.headers, context.request_id),
    ...provider.headers(upstream, capability),
  };
  const names = ["accept", ...listClientHeaders(provider, capability)];
  for (const name of endpoint.download ? [...names, ...RANGE_HEADERS] : names) {
    const value = request.headers.get(name);
    if (value !== null) headers[name] = value;
  }
  if (body.kind === "json") headers["content-type"] = "application/json";
  if (body.kind === "form") headers["content-type"] = body.content_type;
  return headers;
}

/** Returns the names of client headers that change what the upstream does. Approvals cover them. */
export const listClientHeaders = (provider: Provider, capability: Capability): readonly string[] =>
  provider.clientHeaders?.(capability) ?? [];

const RANGE_HEADERS = ["range", "if-range"];

/** Returns the client's bytes, with changed members spliced in. */
function buildJsonBody(
  reference: ModelReference,
  members: MemberScan<string>,
  { model, operation }: { model: string | undefined; operation: ProviderOperation | undefined },
): Uint8Array<ArrayBuffer> {
  let current = members;
  const put = (name: string, value: unknown) => {
    const bytes = spliceMember(current, name, Buffer.from(JSON.stringify(value)));
    const scanned = scanMembers(bytes, [...current.found.keys(), name]);
    if (!scanned.ok) throw new Error(`The changed body is ${scanned.reason}.`);
    current = scanned;
  };
  const isRepeated = members.found.get("model")?.earlier !== undefined;
  // Makes repeated `model` members equal: the upstream may use another one than the allow-list checked.
  const isSame = reference.kind === "named" && reference.model === model && !isRepeated;
  if (model !== undefined && !isSame) put("model", model);
  if (operation?.add) {
    const added = operation.add(readMemberValues(members, operation.members ?? []));
    for (const [name, value] of Object.entries(added)) put(name, value);
  }
  // The bytes come from request.bytes() or Buffer.concat(), never from a SharedArrayBuffer.
  return current.bytes as Uint8Array<ArrayBuffer>;
}

export function readMemberValues(
  members: MemberScan<string>,
  names: readonly string[],
): Record<string, unknown> {
  const present = names.filter((name) => members.found.has(name));
  return Object.fromEntries(present.map((name) => [name, parseMember(members, name)]));
}
