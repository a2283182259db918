/** Reads a whole response about stored objects, and the ids in it. */
import { AppError } from "../../contract/errors.ts";
import type { Deps } from "../../deps.ts";
import { isObject, type JsonObject } from "../../lib/json/json-object.ts";
import { createSizeCap } from "../../lib/streams/capped-body.ts";
import { elapsedMs } from "../../lib/time/clock.ts";
import { decodeUtf8 } from "../../lib/view-bytes.ts";
import type { Bytes } from "../../net/http/reply.ts";
import { toUpstreamError } from "../../net/to-upstream-error.ts";
import { getByteReservation } from "../body/open-upload.ts";
import { OBJECT_ID } from "../match-endpoint.ts";
import { recordOutcome } from "../routing/registry-health.ts";
import type { ForwardedRequest } from "../stages.ts";
import { readWholeBody } from "../upstream/upstream-reply.ts";

/** Room for more than 10,000 files, the longest page of any known provider. */
const MAX_LIST_BYTES = 8 * 1024 * 1024;

/** Reads a whole response of at most `maxBytes`, which counts against the budget of all requests. */
export async function readObjectReply(
  deps: Deps,
  forwarded: ForwardedRequest,
  maxBytes = MAX_LIST_BYTES,
): Promise<Bytes> {
  const { request, reply } = forwarded;
  const tooLarge = new AppError(
    "upstream_failed",
    "The upstream's response is too large: request fewer objects.",
  );
  const cap = createSizeCap(maxBytes, () => tooLarge);
  const { add: reserve } = getByteReservation(deps, forwarded);
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
