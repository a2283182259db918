/** Reads the bytes of a JSON body, without a byte order mark. */
import type { Deps } from "../../deps.ts";
import { bodyLimits, readBody } from "../../read-body.ts";
import { takeTurnToParse } from "../../take-turn.ts";
import type { AuthenticatedRequest } from "../stages.ts";
import { getByteReservation } from "./open-upload.ts";

export async function readJsonBody(
  deps: Deps,
  authenticated: AuthenticatedRequest,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await readBytes(deps, authenticated);
  const { request: client, consumer } = authenticated;
  await takeTurnToParse(deps, { owner: consumer.id, size: bytes.length, client });
  return startsWithByteOrderMark(bytes) ? bytes.subarray(3) : bytes;
}

/** A parser may ignore a byte order mark (RFC 8259, section 8.1). It is not sent upstream. */
const startsWithByteOrderMark = (bytes: Uint8Array): boolean =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;

/** Reserves bytes as they arrive, so that a declared length alone takes nothing from the budget. */
function readBytes(
  deps: Deps,
  authenticated: AuthenticatedRequest,
): Promise<Uint8Array<ArrayBuffer>> {
  const { request, progress } = authenticated;
  const { check, add } = getByteReservation(deps, authenticated);
  return readBody(request, bodyLimits(deps, "JSON_BODY_MIB"), {
    onLength: check,
    onBytes(count) {
      add(count);
      progress.request_bytes += count;
    },
  });
}
