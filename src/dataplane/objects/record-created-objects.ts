/** Records the owner of what a response creates with `files_scope: own`, before the client has its id. */
import type { Capability } from "../../contract/gateway/registries.ts";
import type { Deps } from "../../deps.ts";
import { isObject, type JsonObject } from "../../lib/json/json-object.ts";
import { parseMember, scanMembers } from "../../lib/json/scan-members.ts";
import { viewBytes } from "../../lib/view-bytes.ts";
import type { ForwardedRequest } from "../stages.ts";
import { parseJson, readId, readObjectReply } from "./read-object-reply.ts";
import { recordResponseOwner, returnsItems } from "./record-response-owner.ts";
import { recordOwner } from "./scope-objects.ts";
import { watchEvents } from "./watch-events.ts";

/** Room for audio. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Anthropic stores containers for 30 days, OpenAI audio for an hour. */
const STORED_MS = 31 * 86_400_000;

export async function recordCreatedObjects(
  deps: Deps,
  forwarded: ForwardedRequest,
): Promise<ForwardedRequest> {
  const { reply, capability, body: sent } = forwarded;
  // A translated response is stored nowhere.
  if (reply.status >= 300 || reply.translation) return forwarded;
  if (returnsItems(forwarded)) return await recordResponseOwner(deps, forwarded);
  const objects = OBJECTS[capability];
  const isSent = (text: string) =>
    sent.kind === "json" && viewBytes(sent.members.bytes).includes(text);
  if (!objects || !isSent(objects.request)) return forwarded;

  const expires_at = new Date(deps.now().getTime() + STORED_MS).toISOString();
  const seen = new Set<string>();
  const record = (value: JsonObject) => {
    for (const id of objects.find(value).flatMap((object) => readId(object) ?? [])) {
      if (!seen.has(id)) recordOwner(deps, forwarded, id, expires_at);
      seen.add(id);
    }
  };
  const { body } = reply;
  if (body.kind === "stream" && body.events) {
    const watched = await watchEvents(body, (data) => {
      if (data.includes(`"${objects.name}"`)) record(toObject(parseJson(data)));
    });
    return { ...forwarded, reply: { ...reply, body: watched } };
  }
  const bytes = await readObjectReply(deps, forwarded, MAX_BYTES);
  const members = scanMembers(bytes, [objects.member]);
  if (members.ok) record({ [objects.member]: parseMember(members, objects.member) });
  return { ...forwarded, reply: { ...reply, body: { kind: "whole", bytes } } };
}

interface CreatedObjects {
  /** Text of requests that may create such an object. Responses of others are not read. */
  request: string;
  /** Member that contains the object, at any depth. */
  name: string;
  /** Member of a complete response that contains the objects. */
  member: string;
  /** Returns the objects in a response or event. */
  find: (value: JsonObject) => unknown[];
}

const toObject = (value: unknown): JsonObject => (isObject(value) ? value : {});

const OBJECTS: Partial<Record<Capability, CreatedObjects>> = {
  // Anthropic reports the container of code execution in the message, or in an event at its end.
  messages: {
    request: "code_execution",
    name: "container",
    member: "container",
    find: ({ container, message, delta }) => [
      container,
      toObject(message).container,
      toObject(delta).container,
    ],
  },
  // OpenAI stores generated audio, which later messages refer to.
  chat: {
    request: '"audio"',
    name: "audio",
    member: "choices",
    find: ({ choices }) =>
      (Array.isArray(choices) ? choices : []).flatMap((choice) => {
        const { message, delta } = toObject(choice);
        return [toObject(message).audio, toObject(delta).audio];
      }),
  },
};
