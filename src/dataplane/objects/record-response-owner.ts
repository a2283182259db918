/** Records the owner of a response and of the items in its output with `files_scope: own`, before the client has their ids. */
import type { Deps } from "../../deps.ts";
import { isObject, type JsonObject } from "../../lib/json/json-object.ts";
import { parseMember, scanMembers } from "../../lib/json/scan-members.ts";
import { eachItem, findValueEnd, readMemberTexts } from "../../lib/json/source-text.ts";
import { decodeUtf8 } from "../../lib/view-bytes.ts";
import type { ForwardedRequest } from "../stages.ts";
import { isComplete } from "./find-item-references.ts";
import { parseJson, readId, readObjectReply } from "./read-object-reply.ts";
import { recordOwner } from "./scope-objects.ts";
import { type ReadEventData, watchEvents } from "./watch-events.ts";

/** Room for a response with images. */
const MAX_BYTES = 64 * 1024 * 1024;
/** More than a request may refer to. */
const MAX_ITEMS = 1000;
/** Upstreams store responses for 30 days. */
const STORED_MS = 31 * 86_400_000;

export async function recordResponseOwner(
  deps: Deps,
  forwarded: ForwardedRequest,
): Promise<ForwardedRequest> {
  const { reply } = forwarded;
  const { body } = reply;
  const recorder = createRecorder(deps, forwarded);
  if (body.kind === "stream" && body.events) {
    const watched = await watchEvents(body, createEventReader(recorder));
    return { ...forwarded, reply: { ...reply, body: watched } };
  }
  const bytes = await readObjectReply(deps, forwarded, MAX_BYTES);
  const members = scanMembers(bytes, ["id", "output"]);
  recorder.addResponse({ id: members.ok ? parseMember(members, "id") : undefined });
  const output = members.ok ? members.found.get("output") : undefined;
  if (output?.kind === "array") {
    const text = decodeUtf8(bytes.subarray(output.start, output.end));
    const items: JsonObject[] = [];
    eachItem(text, 0, (_, at) => {
      if (text[at] === "{" && items.length < MAX_ITEMS) items.push(readItem(text, at));
      return findValueEnd(text, at);
    });
    await addItems(recorder, items);
  }
  return { ...forwarded, reply: { ...reply, body: { kind: "whole", bytes } } };
}

/** Returns whether the upstream stores a response whose id the client gets; translated ones have other ids. */
export const createsResponse = ({
  capability,
  candidate,
}: Pick<ForwardedRequest, "capability" | "candidate">): boolean =>
  capability === "responses" && candidate.capability === "responses";

/** Returns whether the client gets items that the upstream created: a new response, or a stored one. */
export const returnsItems = (forwarded: ForwardedRequest): boolean =>
  createsResponse(forwarded) || isRead(forwarded);

const isRead = ({ request, capability, endpoint }: ForwardedRequest): boolean =>
  capability === "stored_responses" && endpoint.is_object && request.method === "GET";

interface Recorder {
  addResponse: (response: unknown) => void;
  /** Returns a promise if other requests should run before the next item. */
  addItem: (item: unknown) => Promise<void> | undefined;
}

function createRecorder(deps: Deps, forwarded: ForwardedRequest): Recorder {
  const isStored = isRead(forwarded) || keepsResponse(forwarded);
  const expires_at = new Date(deps.now().getTime() + STORED_MS).toISOString();
  const seen = new Set<string>();
  return {
    addResponse(response) {
      if (!isStored || isRead(forwarded)) return;
      recordOwner(deps, forwarded, readId(response), expires_at);
    },
    addItem(item) {
      if (!isObject(item) || seen.size >= MAX_ITEMS) return undefined;
      // A client returns an item that is not stored as it is, and never by its id alone.
      const own = isStored || !isComplete(item) ? [item.id] : [];
      const ids = listIds([...own, ...listContainers(item)]).filter((id) => !seen.has(id));
      for (const id of ids) {
        recordOwner(deps, forwarded, id, expires_at);
        seen.add(id);
      }
      // Each id is searched for in the request, which takes milliseconds if that is large.
      return seen.size % 10 < ids.length ? new Promise(setImmediate) : undefined;
    },
  };
}

async function addItems(recorder: Recorder, items: readonly unknown[]): Promise<void> {
  for (const item of items) await recorder.addItem(item);
}

/** Returns the containers that the code or commands of an item ran in. */
const listContainers = ({ container_id, environment }: JsonObject): unknown[] => [
  container_id,
  isObject(environment) ? environment.container_id : undefined,
];

const listIds = (values: readonly unknown[]): string[] =>
  values.flatMap((id) => readId({ id }) ?? []);

/** Responses are stored unless the client sends `store: false`. */
function keepsResponse({ body }: ForwardedRequest): boolean {
  if (body.kind !== "json") return false;
  const members = scanMembers(body.members.bytes, ["store"]);
  return !members.ok || members.found.get("store")?.kind !== "false";
}

/** Reads an item at `at`. Long values, such as images, are not parsed: only whether they are empty matters. */
const readItem = (text: string, at: number): JsonObject =>
  Object.fromEntries(
    [...readMemberTexts(text, at)].map(([name, value]) => [
      name,
      value.length > MAX_PARSED ? value : JSON.parse(value),
    ]),
  );
const MAX_PARSED = 2048;

/** Returns a function that records the ids in each event. */
function createEventReader(recorder: Recorder): ReadEventData {
  let isFirst = true;
  return (data) => {
    if (!isFirst && !MAY_NAME_ITEMS.test(data)) return undefined;
    const event = parseJson(data);
    const { type, item, response }: JsonObject = isObject(event) ? event : {};
    if (isFirst) recorder.addResponse(response);
    isFirst = false;
    if (typeof type === "string" && type.startsWith("response.output_item.")) {
      return recorder.addItem(item);
    }
    return isObject(response) && Array.isArray(response.output)
      ? addItems(recorder, response.output)
      : undefined;
  };
}

/** Most events are parts of text and need no parsing. */
const MAY_NAME_ITEMS = /"response\.(?:output_item\.\w+|completed|incomplete|failed)"/;
