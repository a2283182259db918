/** Reads a response that is evaluated as a whole, up to a size cap. */
import type { Deps } from "../../deps.ts";
import { elapsedMs } from "../../lib/time/clock.ts";
import type { Bytes } from "../../net/http/reply.ts";
import { toUpstreamError } from "../../net/to-upstream-error.ts";
import { getByteReservation } from "../body/open-upload.ts";
import { recordOutcome } from "../routing/registry-health.ts";
import type { ForwardedRequest } from "../stages.ts";
import type { UpstreamReply } from "../upstream/upstream-reply.ts";

/** Returns a stream that starts with the bytes read so far if the response exceeds GUARD_BODY_MIB. */
export async function readGuardedReply(
  deps: Deps,
  forwarded: ForwardedRequest,
): Promise<UpstreamReply["body"]> {
  const { request, reply } = forwarded;
  const { body } = reply;
  if (body.kind === "whole") return body;
  const { add: reserve } = getByteReservation(deps, forwarded);
  const maxBytes = deps.settings.GUARD_BODY_MIB * 1024 * 1024;
  const chunks: Bytes[] = [];
  let size = 0;
  const next = () =>
    body.read().catch((thrown: unknown) => {
      // A client that disconnects is not a failure of the upstream.
      if (!request.signal.aborted) {
        recordOutcome(reply.registry, { status: undefined, retry_after_ms: 0 }, elapsedMs());
      }
      throw toUpstreamError(thrown);
    });
  for (let chunk = body.first ?? (await next()); chunk; chunk = await next()) {
    reserve(chunk.length);
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) return { ...body, first: Buffer.concat(chunks) };
  }
  return { kind: "whole", bytes: Buffer.concat(chunks) };
}
