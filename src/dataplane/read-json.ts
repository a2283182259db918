/** Reads a JSON body once and finds the few members that routing needs, without building a tree. */
import { AppError } from "../contract/errors.ts";
import type { Deps } from "../deps.ts";
import { type Members, scanMembers } from "../lib/json-members.ts";
import { within } from "../lib/within.ts";
import type { Known } from "./stages.ts";
import {
  declaredLength,
  holding,
  openUpload,
  tooSlow,
  type Upload,
  uploadLimits,
} from "./upload.ts";

export async function readJson<Name extends string>(
  deps: Deps,
  known: Known,
  wanted: readonly Name[],
): Promise<Members<Name>> {
  const bytes = await readBytes(deps, known);
  const members = scanMembers(startsWithMark(bytes) ? bytes.subarray(3) : bytes, wanted);
  if (!members.ok) throw new AppError("invalid_request", `The body is ${members.reason}.`);
  return members;
}

/** RFC 8259 section 8.1: a parser may ignore a byte order mark. The upstream does not get it. */
const startsWithMark = (bytes: Uint8Array): boolean =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;

/** Bodies up to this size are read in one call, which is fastest. */
const SMALL = 256 * 1024;

function readBytes(deps: Deps, known: Known): Promise<Uint8Array<ArrayBuffer>> {
  const { request, run } = known;
  const limits = uploadLimits(deps, "JSON_BODY_MIB");
  const length = declaredLength(request, limits.cap);
  const hold = holding(deps, known);
  if (length !== undefined && length <= SMALL) {
    hold(length);
    run.request_bytes = length;
    return within(request.bytes(), limits.idle_ms, tooSlow, deps.bodyDeadline);
  }
  return collect(openUpload(known, limits), hold);
}

/** What is held is counted as it comes: a length that is only promised takes nothing from others. */
async function collect(
  upload: Upload,
  hold: (bytes: number) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  for (let chunk = await upload.next(); chunk; chunk = await upload.next()) {
    hold(chunk.length);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
