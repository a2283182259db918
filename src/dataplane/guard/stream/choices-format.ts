/** Streams whose chunks have a list of choices: members of every chunk, errors, usage and the ending. */
import { isObject, type JsonObject } from "../../../lib/json/json-object.ts";
import { unescapePointerStep } from "../../../lib/json/parse-strict.ts";
import {
  createParts,
  dropTextAndObject,
  type EventParts,
  type StreamFormat,
} from "./stream-format.ts";

export interface ChoiceMembers {
  /** `object` of a complete response, and of a chunk. */
  object: string;
  chunk_object: string;
  /** Takes the texts out of a choice, and adds the rest of it to the response. */
  readChoice: (
    parts: EventParts,
    choice: JsonObject,
    response: JsonObject,
    position: number,
  ) => void;
  /** Returns the members of a choice that continue the text at `steps`, its location inside the choice's first member. */
  buildContent: (steps: readonly string[], text: string) => JsonObject;
}

export function createChoicesFormat(members: ChoiceMembers): StreamFormat {
  const { object, chunk_object, readChoice, buildContent } = members;
  const response: JsonObject = { object, choices: [] };
  /** Members of every chunk, such as the id and the model. */
  let frame: JsonObject = {};
  const buildChunk = (index: number, content: JsonObject, finish_reason: string | null) => ({
    ...frame,
    object: chunk_object,
    choices: [{ index, ...content, logprobs: null, finish_reason }],
  });
  return {
    read(event) {
      const parts = createParts();
      const { choices, usage, ...rest } = event;
      if (isObject(rest.error)) {
        response.error = rest.error;
        return { ...parts, stage: "error" };
      }
      frame = pickFrame(rest);
      Object.assign(response, frame);
      if (isObject(usage)) response.usage = usage;
      const list: unknown[] = Array.isArray(choices) ? choices : [];
      for (const [position, choice] of list.entries()) {
        if (isObject(choice)) readChoice(parts, choice, response, position);
      }
      parts.is_delta = list.length > 0 && !isObject(usage) && list.every(hasNoContent);
      if (list.length === 0 && isObject(usage)) parts.stage = "end";
      return parts;
    },
    response: () => response,
    wrapper: {},
    buildDelta(slot, text) {
      const [, , index, , ...steps] = slot.split("/").map(unescapePointerStep);
      return buildChunk(Number(index), buildContent(steps, text), null);
    },
    buildEnding: () => {
      const { choices } = response;
      const count = Math.max(Array.isArray(choices) ? choices.length : 0, 1);
      const events = Array.from({ length: count }, (_, index) =>
        buildChunk(index, buildContent([], ""), "content_filter"),
      );
      return { events, terminator: "data: [DONE]\n\n" };
    },
  };
}

const FRAME_MEMBERS = ["id", "created", "model", "service_tier", "system_fingerprint"];

function pickFrame(event: JsonObject): JsonObject {
  const members = FRAME_MEMBERS.filter((name) => name in event);
  return Object.fromEntries(members.map((name) => [name, dropTextAndObject(event[name], name)]));
}

/** Returns whether a choice has nothing except its index, tokens and empty texts. */
function hasNoContent(value: unknown): boolean {
  if (value === null || value === "") return true;
  if (typeof value !== "object") return false;
  if (Array.isArray(value)) return value.every(hasNoContent);
  return Object.entries(value).every(
    ([name, member]) => name === "logprobs" || name === "index" || hasNoContent(member),
  );
}
