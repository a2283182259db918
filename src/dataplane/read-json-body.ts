/** Reads a JSON body once and finds the few members that routing needs, without building a tree. */
import { AppError } from "../contract/errors.ts";
import type { Deps } from "../deps.ts";
import { type MemberScan, scanMembers } from "../lib/json/scan-members.ts";
import { readBody } from "../read-body.ts";
import { createByteReservation, uploadLimits } from "./open-upload.ts";
import type { AuthenticatedRequest } from "./stages.ts";

export async function readJsonBody<Name extends string>(
  deps: Deps,
  authenticated: AuthenticatedRequest,
  wanted: readonly Name[],
): Promise<MemberScan<Name>> {
  const bytes = await readBytes(deps, authenticated);
  const members = scanMembers(startsWithByteOrderMark(bytes) ? bytes.subarray(3) : bytes, wanted);
  if (!members.ok) throw new AppError("invalid_request", `The body is ${members.reason}.`);
  return members;
}

/** RFC 8259 section 8.1: a parser may ignore a byte order mark. The upstream does not get it. */
const startsWithByteOrderMark = (bytes: Uint8Array): boolean =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;

/** What is held is counted as it comes: a length that is only promised takes nothing from others. */
function readBytes(
  deps: Deps,
  authenticated: AuthenticatedRequest,
): Promise<Uint8Array<ArrayBuffer>> {
  const { request, progress } = authenticated;
  const hold = createByteReservation(deps, authenticated);
  return readBody(request, uploadLimits(deps, "JSON_BODY_MIB"), (count) => {
    hold(count);
    progress.request_bytes += count;
  });
}
