/** Stream of `/v1/completions`: chunks with the next characters of each choice. */
import { isObject, type JsonObject } from "../../../lib/json/json-object.ts";
import { isBlank, pickFrame } from "./chat-dialect.ts";
import {
  createParts,
  type Dialect,
  type EventParts,
  elementAt,
  readIndex,
  takeText,
} from "./dialect.ts";

export function createCompletionsDialect(): Dialect {
  const response: JsonObject = { object: "text_completion", choices: [] };
  /** Members of every chunk, such as the id and the model. */
  let frame: JsonObject = {};
  const buildChunk = (index: number, text: string, finish_reason: string | null) => ({
    ...frame,
    object: "text_completion",
    choices: [{ index, text, logprobs: null, finish_reason }],
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
      parts.is_delta = list.length > 0 && !isObject(usage) && list.every(isBlank);
      if (list.length === 0 && isObject(usage)) parts.stage = "end";
      return parts;
    },
    response: () => response,
    wrapper: {},
    buildDelta: (slot, text) => buildChunk(Number(slot.split("/")[2]), text, null),
    buildEnding: () => {
      const { choices } = response;
      const count = Math.max(Array.isArray(choices) ? choices.length : 0, 1);
      const events = Array.from({ length: count }, (_, index) =>
        buildChunk(index, "", "content_filter"),
      );
      return { events, terminator: "data: [DONE]\n\n" };
    },
  };
}

function readChoice(
  parts: EventParts,
  choice: JsonObject,
  response: JsonObject,
  position: number,
): void {
  const index = readIndex(choice.index, position);
  const element = `/choices/${index}`;
  parts.elements.push(element);
  takeText(parts, choice, "text", {
    pointer: `/choices/${position}/text`,
    slot: `${element}/text`,
  });
  const { text: _, logprobs: __, finish_reason, ...rest } = choice;
  const stored = elementAt(response, "choices", index);
  Object.assign(stored, rest);
  if (typeof finish_reason !== "string") return;
  stored.finish_reason = finish_reason;
  parts.stage = "end";
}
