/** Records the owner of a stored response with `files_scope: own`, before the client has its id. */
import type { Deps } from "../../deps.ts";
import { createEventSplitter, readData } from "../../lib/http/split-events.ts";
import { isObject } from "../../lib/json/json-object.ts";
import { parseMember, scanMembers } from "../../lib/json/scan-members.ts";
import type { Bytes } from "../../net/http/reply.ts";
import type { ForwardedRequest } from "../stages.ts";
import type { StreamedBody } from "../upstream/upstream-reply.ts";
import { readId, readObjectReply, recordOwner } from "./scope-objects.ts";

/** Room for a response with images. */
const MAX_BYTES = 64 * 1024 * 1024;
/** The first event repeats the instructions and tools of the request. */
const MAX_EVENT_CHARACTERS = 4 * 1024 * 1024;
/** Upstreams store responses for 30 days. */
const STORED_MS = 31 * 86_400_000;

export async function recordResponseOwner(
  deps: Deps,
  forwarded: ForwardedRequest,
): Promise<ForwardedRequest> {
  const { reply } = forwarded;
  const { body } = reply;
  // A translated response is stored nowhere.
  if (reply.status >= 300 || reply.translation || !isStored(forwarded)) return forwarded;
  const record = (response: unknown) => {
    const expires_at = new Date(deps.now().getTime() + STORED_MS).toISOString();
    recordOwner(deps, forwarded, readId(response), expires_at);
  };
  if (body.kind === "stream" && body.events) {
    return { ...forwarded, reply: { ...reply, body: watchFirstEvent(body, record) } };
  }
  const bytes = await readObjectReply(forwarded, MAX_BYTES);
  const members = scanMembers(bytes, ["id"]);
  record({ id: members.ok ? parseMember(members, "id") : undefined });
  return { ...forwarded, reply: { ...reply, body: { kind: "whole", bytes } } };
}

/** Returns whether the upstream stores a response whose id the client gets; translated ones have other ids. */
export const createsResponse = ({
  capability,
  candidate,
}: Pick<ForwardedRequest, "capability" | "candidate">): boolean =>
  capability === "responses" && candidate.capability === "responses";

/** Responses are stored unless the client sends `store: false`. */
function isStored({ body }: ForwardedRequest): boolean {
  if (body.kind !== "json") return false;
  const members = scanMembers(body.members.bytes, ["store"]);
  return !members.ok || members.found.get("store")?.kind !== "false";
}

/** Calls `record` with the response in the first event, before the client receives the end of that event. */
function watchFirstEvent(body: StreamedBody, record: (response: unknown) => void): StreamedBody {
  const splitter = createEventSplitter();
  let isRecorded = false;
  const inspect = (chunk: Bytes | undefined): Bytes | undefined => {
    if (isRecorded || !chunk) return chunk;
    const event = splitter.push(chunk).find((each) => readData(each) !== "");
    if (event || splitter.restSize() > MAX_EVENT_CHARACTERS) {
      isRecorded = true;
      record(event && readResponse(readData(event)));
    }
    return chunk;
  };
  return { ...body, first: inspect(body.first), read: async () => inspect(await body.read()) };
}

function readResponse(data: string): unknown {
  try {
    const event: unknown = JSON.parse(data);
    return isObject(event) ? event.response : undefined;
  } catch {
    return undefined;
  }
}
