/** Reads a JSON body once and finds the few members that routing needs, without building a tree. */
import { AppError } from "../contract/errors.ts";
import type { Deps } from "../deps.ts";
import { type MemberScan, scanMembers } from "../lib/json/scan-members.ts";
import { readBody } from "../read-body.ts";
import type { AuthenticatedRequest } from "./stages.ts";
import { holding, uploadLimits } from "./upload.ts";

export async function readJson<Name extends string>(
  deps: Deps,
  known: AuthenticatedRequest,
  wanted: readonly Name[],
): Promise<MemberScan<Name>> {
  const bytes = await readBytes(deps, known);
  const members = scanMembers(startsWithMark(bytes) ? bytes.subarray(3) : bytes, wanted);
  if (!members.ok) throw new AppError("invalid_request", `The body is ${members.reason}.`);
  return members;
}

/** RFC 8259 section 8.1: a parser may ignore a byte order mark. The upstream does not get it. */
const startsWithMark = (bytes: Uint8Array): boolean =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;

/** What is held is counted as it comes: a length that is only promised takes nothing from others. */
function readBytes(deps: Deps, known: AuthenticatedRequest): Promise<Uint8Array<ArrayBuffer>> {
  const { request, run } = known;
  const hold = holding(deps, known);
  return readBody(request, uploadLimits(deps, "JSON_BODY_MIB"), (count) => {
    hold(count);
    run.request_bytes += count;
  });
}
