/** Reads and decodes the body of an administrative request, in turn with those of others. */
import { requireGateway } from "../../admin/resource-routes.ts";
import { decode } from "../../contract/decode.ts";
import { Empty, type Endpoint } from "../../contract/endpoint.ts";
import type { Deps } from "../../deps.ts";
import type { ByteReservation } from "../../reserve-bytes.ts";
import type { Actor } from "../../route.ts";
import { takeTurnToParse, takeTurnToRead } from "../../take-turn.ts";
import { readCountedBody, UNCOUNTED_BYTES } from "./read-counted-body.ts";
import { isForm, readForm } from "./read-form.ts";
import { readJson } from "./read-json.ts";

interface BodyContext {
  params: Record<string, string>;
  actor: Actor;
  memory: ByteReservation;
}

export async function decodeBody(
  deps: Deps,
  endpoint: Endpoint,
  request: Request,
  { params, actor, memory }: BodyContext,
): Promise<unknown> {
  const caller = { owner: actor.id ?? "", client: request };
  if (endpoint.body === Empty) {
    await takeTurnToRead(deps, caller);
    return undefined;
  }
  // Before the body: an unknown gateway is always a 404.
  if (params.gateway_id !== undefined) await requireGateway(deps, params);
  const code = validationCode(endpoint);
  const cap = endpoint.auth === "public" ? PUBLIC_BODY_BYTES : "ADMIN_BODY_MIB";
  const bytes = await readCountedBody(deps, request, cap, memory);
  // Many small changes that arrive together take as long as many reads.
  if (bytes.length <= UNCOUNTED_BYTES) await takeTurnToRead(deps, caller);
  else await takeTurnToParse(deps, { ...caller, size: bytes.length });
  const onWeight = bytes.length > UNCOUNTED_BYTES ? memory.add : undefined;
  const value =
    endpoint.form && isForm(request)
      ? readForm(bytes, code, request)
      : readJson(bytes, code, onWeight);
  return decode(endpoint.body, value, code);
}

/** Cap for unauthenticated callers: enough for any credential. */
const PUBLIC_BODY_BYTES = 64 * 1024;

/** The guard has one status for all invalid requests (spec 7). */
export const validationCode = ({ plane }: Endpoint) =>
  plane === "guard" ? "invalid_request" : "validation_failed";
