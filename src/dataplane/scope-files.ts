/** Applies `files_scope` to a response: records the owner of an upload, and filters a list by owner. */
import { AppError } from "../contract/errors.ts";
import type { Deps } from "../deps.ts";
import { createSizeCap } from "../lib/streams/capped-body.ts";
import { elapsedMs } from "../lib/time/clock.ts";
import { toUpstreamError } from "../net/to-upstream-error.ts";
import { getLiveState } from "./live-state.ts";
import { FILE_ID } from "./match-endpoint.ts";
import { recordOutcome } from "./registry-health.ts";
import type { ForwardedRequest } from "./stages.ts";
import { readWholeBody } from "./upstream-reply.ts";

/** Room for more than 10,000 files, the longest page of any known provider. */
const MAX_BYTES = 8 * 1024 * 1024;

export async function scopeFiles(
  deps: Deps,
  forwarded: ForwardedRequest,
): Promise<ForwardedRequest> {
  const { request, item, consumer, candidate, reply } = forwarded;
  if (reply.status >= 300) return forwarded;
  if (item !== undefined) {
    const registry_id = candidate.registry.id;
    if (request.method === "DELETE") {
      getLiveState(deps).file_owners.remove({ registry_id, file_id: item });
    }
    return forwarded;
  }
  const isUpload = request.method === "POST";
  if (!isUpload && consumer.files_scope === "shared") return forwarded;
  const received = await readResponse(forwarded);
  // Before the response is sent: the client may request the file as soon as it has the id.
  if (isUpload) recordUpload(deps, forwarded, received);
  const bytes = isUpload ? received : await filterList(deps, forwarded, received);
  return { ...forwarded, reply: { ...reply, body: { kind: "whole", bytes } } };
}

async function readResponse({
  request,
  reply,
}: ForwardedRequest): Promise<Uint8Array<ArrayBuffer>> {
  const tooLarge = new AppError(
    "upstream_failed",
    "The upstream's response is too large: request fewer files.",
  );
  const cap = createSizeCap(MAX_BYTES, () => tooLarge);
  return await readWholeBody(reply.body, cap).catch((thrown: unknown) => {
    // Neither a long list nor a client that disconnects is a failure of the upstream.
    if (thrown !== tooLarge && !request.signal.aborted) {
      recordOutcome(reply.registry, { status: undefined, retry_after_ms: 0 }, elapsedMs());
    }
    throw toUpstreamError(thrown);
  });
}

/** Records the owner with any scope, because the scope of the consumer may change later. */
function recordUpload(
  deps: Deps,
  { consumer, candidate }: ForwardedRequest,
  bytes: Uint8Array,
): void {
  const file_id = readFileId(parseJson(bytes));
  const owner = { registry_id: candidate.registry.id, consumer_id: consumer.id };
  if (file_id === undefined) deps.log("upload_without_id", { level: "warn", ...owner });
  else {
    const created_at = deps.now().toISOString();
    getLiveState(deps).file_owners.add({ ...owner, file_id, created_at });
  }
}

/** Keeps the upstream's paging members, so that a client can page to the end of the list. */
async function filterList(
  deps: Deps,
  { consumer, candidate }: ForwardedRequest,
  bytes: Uint8Array,
): Promise<Uint8Array<ArrayBuffer>> {
  const list = parseJson(bytes);
  // A list that cannot be filtered must not be sent.
  if (typeof list !== "object" || list === null || !("data" in list) || !Array.isArray(list.data)) {
    throw new AppError("upstream_failed", "The upstream's list of files has no `data` array.");
  }
  const files: unknown[] = list.data;
  const ids = files.flatMap((file) => readFileId(file) ?? []);
  const own = await getLiveState(deps).file_owners.findOwn(consumer.id, candidate.registry.id, ids);
  const data = files.filter((file) => own.has(readFileId(file) ?? ""));
  return Buffer.from(JSON.stringify({ ...list, data }));
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString());
  } catch {
    return undefined;
  }
}

/** Returns the id of a file; undefined if no path could contain it. */
function readFileId(file: unknown): string | undefined {
  if (typeof file !== "object" || file === null || !("id" in file)) return undefined;
  return typeof file.id === "string" && FILE_ID.test(file.id) ? file.id : undefined;
}
