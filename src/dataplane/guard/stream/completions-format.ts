/** Stream of `/v1/completions`: chunks with the next characters of each choice. */
import type { JsonObject } from "../../../lib/json/json-object.ts";
import { createChoicesFormat } from "./choices-format.ts";
import {
  type EventParts,
  elementAt,
  readIndex,
  type StreamFormat,
  takeText,
} from "./stream-format.ts";

export const createCompletionsFormat = (): StreamFormat =>
  createChoicesFormat({
    object: "text_completion",
    chunk_object: "text_completion",
    readChoice,
    buildContent: (_, text) => ({ text }),
  });

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
