/** Applies `files_scope` to a response: records the owner of a stored object, and filters a list by owner. */
import { AppError } from "../../contract/errors.ts";
import type { Capability } from "../../contract/gateway/registries.ts";
import type { Deps } from "../../deps.ts";
import { isObject, type JsonObject } from "../../lib/json/json-object.ts";
import { unescapeAscii } from "../../lib/json/unescape-ascii.ts";
import { createSizeCap } from "../../lib/streams/capped-body.ts";
import { elapsedMs } from "../../lib/time/clock.ts";
import { decodeUtf8 } from "../../lib/view-bytes.ts";
import type { Bytes } from "../../net/http/reply.ts";
import { toUpstreamError } from "../../net/to-upstream-error.ts";
import { getByteReservation } from "../body/open-upload.ts";
import type { RequestBody } from "../body/request-body.ts";
import { getLiveState } from "../live-state.ts";
import { OBJECT_ID } from "../match-endpoint.ts";
import { recordOutcome } from "../routing/registry-health.ts";
import type { ForwardedRequest } from "../stages.ts";
import { readWholeBody } from "../upstream/upstream-reply.ts";
import { replaceListEnds } from "./list-cursors.ts";

/** Room for more than 10,000 files, the longest page of any known provider. */
const MAX_BYTES = 8 * 1024 * 1024;

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

  let bytes = await readObjectReply(deps, forwarded, MAX_BYTES);
  // Before the response is sent: the client may request the object as soon as it has the id.
  if (isCreated) recordCreated(deps, forwarded, bytes);
  if (isOwn && isList) bytes = await filterList(deps, forwarded, bytes);
  if (createsFiles) recordCreatedFiles(deps, forwarded, parseJson(bytes));
  if (hasUrl) bytes = replaceResultsUrls(deps, forwarded, bytes);
  return { ...forwarded, reply: { ...reply, body: { kind: "whole", bytes } } };
}

/** Reads a whole response of at most `maxBytes`, which counts against the budget of all requests. */
export async function readObjectReply(
  deps: Deps,
  forwarded: ForwardedRequest,
  maxBytes: number,
): Promise<Bytes> {
  const { request, reply } = forwarded;
  const tooLarge = new AppError(
    "upstream_failed",
    "The upstream's response is too large: request fewer objects.",
  );
  const cap = createSizeCap(maxBytes, () => tooLarge);
  const reserve = getByteReservation(deps, forwarded);
  const count = (bytes: number) => {
    cap(bytes);
    reserve(bytes);
  };
  return await readWholeBody(reply.body, count).catch((thrown: unknown) => {
    // Neither a long list, a full budget nor a client that disconnects is a failure of the upstream.
    const isFull = AppError.from(thrown).code === "overloaded";
    if (thrown !== tooLarge && !isFull && !request.signal.aborted) {
      recordOutcome(reply.registry, { status: undefined, retry_after_ms: 0 }, elapsedMs());
    }
    throw toUpstreamError(thrown);
  });
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

/** Keeps `has_more` of the upstream, so that a client can page to the end of the list. */
async function filterList(
  deps: Deps,
  { consumer, candidate }: ForwardedRequest,
  bytes: Uint8Array,
): Promise<Bytes> {
  const list = parseJson(bytes);
  // A list that cannot be filtered must not be sent.
  if (!isObject(list) || !Array.isArray(list.data)) {
    throw new AppError("upstream_failed", "The upstream's list has no `data` array.");
  }
  const objects: unknown[] = list.data;
  const ids = objects.flatMap((object) => readId(object) ?? []);
  const { object_owners } = getLiveState(deps);
  const own = await object_owners.findOwn(consumer.id, candidate.registry.id, ids);
  const data = objects.filter((object) => own.has(readId(object) ?? ""));
  return Buffer.from(
    JSON.stringify({ ...list, ...replaceListEnds(deps, consumer.id, list, data), data }),
  );
}

/** Lets `results_url` of a batch of messages lead to this gateway: SDKs send their key to it. */
function replaceResultsUrls(
  { settings }: Deps,
  { request, slug }: ForwardedRequest,
  bytes: Uint8Array,
): Bytes {
  const base = `${settings.PUBLIC_URL ?? new URL(request.url).origin}/${slug}/v1`;
  const text = decodeUtf8(bytes);
  return Buffer.from(text.replace(RESULTS_URL, (_, start, path) => `${start}${base}${path}`));
}

const RESULTS_URL = /("results_url"\s*:\s*")[^"\\]*?(\/messages\/batches\/[^"\\]+")/g;

/** Returns undefined if the text is not JSON. */
export function parseJson(json: Uint8Array | string): unknown {
  try {
    return JSON.parse(typeof json === "string" ? json : decodeUtf8(json));
  } catch {
    return undefined;
  }
}

/** Returns the id of an object; undefined if no path could contain it. */
export function readId(object: unknown): string | undefined {
  const { id }: JsonObject = isObject(object) ? object : {};
  return typeof id === "string" && OBJECT_ID.test(id) ? id : undefined;
}
