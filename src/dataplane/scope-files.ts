/** Whose are the files of an answer? An upload gets its owner; an own list keeps only what is the consumer's. */
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

/** More than ten thousand files, the longest list that is known of. */
const MAX_BYTES = 8 * 1024 * 1024;

export async function scopeFiles(
  deps: Deps,
  forwarded: ForwardedRequest,
): Promise<ForwardedRequest> {
  const { request, item, consumer, candidate, reply } = forwarded;
  if (reply.status >= 300) return forwarded;
  if (item !== undefined) {
    const registry_id = candidate.registry.id;
    if (request.method === "DELETE")
      getLiveState(deps).file_owners.forget({ registry_id, file_id: item });
    return forwarded;
  }
  const upload = request.method === "POST";
  if (!upload && consumer.files_scope === "shared") return forwarded;
  const bytes = await readResponse(forwarded);
  // Before the answer leaves: the caller may ask for the file the moment it knows the id.
  if (upload) recordUpload(deps, forwarded, bytes);
  const kept = upload ? bytes : await filterList(deps, forwarded, bytes);
  return { ...forwarded, reply: { ...reply, body: { kind: "whole", bytes: kept } } };
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

/** Whatever the consumer's scope is: it may be another one tomorrow. */
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
    getLiveState(deps).file_owners.remember({ ...owner, file_id, created_at });
  }
}

/** Paging members stay the upstream's, so that a client that pages comes to the end of its list. */
async function filterList(
  deps: Deps,
  { consumer, candidate }: ForwardedRequest,
  bytes: Uint8Array,
): Promise<Uint8Array<ArrayBuffer>> {
  const list = parseJson(bytes);
  // What cannot be read cannot be cut, and must not go out whole.
  if (typeof list !== "object" || list === null || !("data" in list) || !Array.isArray(list.data)) {
    throw new AppError("upstream_failed", "The upstream's list of files cannot be read.");
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

/** Only an id that a request can name: no other one could be asked for, or stored. */
function readFileId(file: unknown): string | undefined {
  if (typeof file !== "object" || file === null || !("id" in file)) return undefined;
  return typeof file.id === "string" && FILE_ID.test(file.id) ? file.id : undefined;
}
