/** Applies `files_scope` to a response: records the owner of a stored object, and filters a list by owner. */
import type { Capability } from "../../contract/gateway/registries.ts";
import type { Deps } from "../../deps.ts";
import { parseRequestUrl } from "../../lib/http/parse-request-url.ts";
import { isObject } from "../../lib/json/json-object.ts";
import { unescapeAscii } from "../../lib/json/unescape-ascii.ts";
import { decodeUtf8 } from "../../lib/view-bytes.ts";
import type { Bytes } from "../../net/http/reply.ts";
import type { RequestBody } from "../body/request-body.ts";
import { getLiveState } from "../live-state.ts";
import type { ForwardedRequest } from "../stages.ts";
import { parseJson, readId, readObjectReply } from "./read-object-reply.ts";
import { readOwnPage } from "./read-own-page.ts";

/** Capabilities whose objects name files that the upstream creates. */
export const CREATES_FILES: ReadonlySet<Capability> = new Set(["batches", "uploads"]);

export async function scopeObjects(
  deps: Deps,
  forwarded: ForwardedRequest,
): Promise<ForwardedRequest> {
  const { request, endpoint, capability, item, consumer, candidate, reply } = forwarded;
  if (reply.status >= 300) return forwarded;
  if (request.method === "DELETE" && endpoint.is_object && item !== undefined) {
    const registry_id = candidate.registry.id;
    getLiveState(deps).object_owners.remove({ registry_id, file_id: item });
  }
  const isOwn = consumer.files_scope === "own";
  const isCreated = endpoint.creates && request.method === "POST";
  const isList = endpoint.creates && request.method === "GET";
  const createsFiles = isOwn && CREATES_FILES.has(capability);
  const hasUrl = capability === "message_batches" && !endpoint.lines;
  if (!isCreated && !(isOwn && isList) && !createsFiles && !hasUrl) return forwarded;

  const page = isOwn && isList ? await readOwnPage(deps, forwarded) : forwarded;
  if (page.reply.status >= 300) return page;
  let bytes = await readObjectReply(deps, page);
  // Before the response is sent: the client may request the object as soon as it has the id.
  if (isCreated) recordCreated(deps, forwarded, bytes);
  if (createsFiles) recordCreatedFiles(deps, forwarded, parseJson(bytes));
  if (hasUrl) bytes = replaceResultsUrls(deps, forwarded, bytes);
  return { ...page, reply: { ...page.reply, body: { kind: "whole", bytes } } };
}

/** Records the owner with any scope, because the scope of the consumer may change later. */
function recordCreated(deps: Deps, forwarded: ForwardedRequest, bytes: Uint8Array): void {
  recordOwner(deps, forwarded, readId(parseJson(bytes)));
}

/** Records that the consumer owns an object of the registry that responded. */
export function recordOwner(
  deps: Deps,
  { consumer, candidate, body }: ForwardedRequest,
  file_id: string | undefined,
  expires_at: string | null = null,
): void {
  if (file_id !== undefined && isSent(body, file_id)) return;
  const owner = { registry_id: candidate.registry.id, consumer_id: consumer.id };
  if (file_id === undefined) deps.log("object_without_id", { level: "warn", ...owner });
  else {
    const created_at = deps.now().toISOString();
    getLiveState(deps).object_owners.add({ ...owner, file_id, created_at, expires_at });
  }
}

/**
 * Returns whether a request contains an id, so that it is not new: it may be that of another consumer. vLLM lets
 * clients choose the ids of responses (`request_id`), and upstreams may repeat the ids of items.
 */
function isSent(body: RequestBody, id: string): boolean {
  if (body.kind !== "json") return false;
  const text = sentTexts.get(body) ?? decodeUtf8(unescapeAscii(body.members.bytes));
  sentTexts.set(body, text);
  const core = id.replace(/^[a-z]+[-_]/i, "");
  if (core.length >= MIN_CORE_CHARACTERS) return text.includes(core);
  return [id, core].some((each) => text.includes(JSON.stringify(each)));
}

/** A response may have many items. */
const sentTexts = new WeakMap<RequestBody, string>();

/** Shorter texts appear in requests by chance: only a whole string is an id. */
const MIN_CORE_CHARACTERS = 8;

/** Records the files that a batch or an upload of the consumer has created. */
function recordCreatedFiles(deps: Deps, forwarded: ForwardedRequest, value: unknown): void {
  const objects = isObject(value) && Array.isArray(value.data) ? value.data : [value];
  for (const object of objects) {
    if (!isObject(object)) continue;
    const { output_file_id, error_file_id, file } = object;
    const ids = [output_file_id, error_file_id].map((id) => ({ id }));
    for (const each of [...ids, file]) {
      const id = readId(each);
      if (id !== undefined) recordOwner(deps, forwarded, id);
    }
  }
}

/** Lets `results_url` of a batch of messages lead to this gateway: SDKs send their key to it. */
function replaceResultsUrls(
  { settings }: Deps,
  { request, slug }: ForwardedRequest,
  bytes: Uint8Array,
): Bytes {
  const base = `${settings.PUBLIC_URL ?? parseRequestUrl(request).origin}/${slug}/v1`;
  const text = decodeUtf8(bytes);
  return Buffer.from(text.replace(RESULTS_URL, (_, start, path) => `${start}${base}${path}`));
}

const RESULTS_URL = /("results_url"\s*:\s*")[^"\\]*?(\/messages\/batches\/[^"\\]+")/g;
