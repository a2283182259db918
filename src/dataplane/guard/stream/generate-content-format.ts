/** Stream of `:streamGenerateContent`: each chunk is a response whose parts continue those before them. */

import { isObject, type JsonObject } from "../../../lib/json/json-object.ts";
import { buildUnreadableError } from "../guard-errors.ts";
import {
  createParts,
  dropText,
  type EventParts,
  elementAt,
  readIndex,
  type StreamFormat,
  takeText,
} from "./stream-format.ts";

/** A candidate of the response, and the text that later chunks continue. */
interface CandidateState {
  stored: JsonObject;
  content: JsonObject;
  parts: JsonObject[];
  /** Index of the open text in `parts`. */
  open: number | undefined;
}

export function createGenerateContentFormat(): StreamFormat {
  const response: JsonObject = { candidates: [] };
  const states = new Map<number, CandidateState>();
  /** Members of every chunk, such as the version of the model. */
  let frame: JsonObject = {};

  function stateAt(index: number): CandidateState {
    const existing = states.get(index);
    if (existing) return existing;
    const parts: JsonObject[] = [];
    const content: JsonObject = { role: "model", parts };
    const stored = Object.assign(elementAt(response, "candidates", index), { content });
    const state = { stored, content, parts, open: undefined };
    states.set(index, state);
    return state;
  }

  return {
    keepsCalls: true,
    read(event) {
      const parts = createParts();
      const { candidates, ...rest } = event;
      Object.assign(response, rest);
      if (isObject(rest.error)) return { ...parts, stage: "error" };
      frame = { ...frame, ...pickFrame(rest) };
      const list: unknown[] = Array.isArray(candidates) ? candidates : [];
      for (const [position, candidate] of list.entries()) {
        if (!isObject(candidate)) continue;
        const index = readIndex(candidate.index, position);
        readCandidate(parts, candidate, stateAt(index), {
          from: `/candidates/${position}`,
          to: `/candidates/${index}`,
        });
      }
      return parts;
    },
    response: () => response,
    wrapper: {},
    buildDelta(slot, text) {
      const [, , index = "", , , part = ""] = slot.split("/");
      const thought = states.get(Number(index))?.parts[Number(part)]?.thought;
      const content = { role: "model", parts: [{ text, ...(thought === true && { thought }) }] };
      return { ...frame, candidates: [{ content, index: Number(index) }] };
    },
    buildEnding: () => {
      const indexes = states.size > 0 ? [...states.keys()] : [0];
      const candidates = indexes.map((index) => ({ finishReason: "SAFETY", index }));
      return { events: [{ ...frame, candidates }] };
    },
  };
}

const FRAME_MEMBERS = ["usageMetadata", "modelVersion", "responseId"];

function pickFrame(event: JsonObject): JsonObject {
  const members = FRAME_MEMBERS.filter((name) => name in event);
  return Object.fromEntries(members.map((name) => [name, dropText(event[name], name)]));
}

interface Mapping {
  /** Location in the event. */
  from: string;
  /** Location in the complete response. */
  to: string;
}

function readCandidate(
  parts: EventParts,
  candidate: JsonObject,
  state: CandidateState,
  { from, to }: Mapping,
): void {
  parts.elements.push(to);
  const { content, ...rest } = candidate;
  Object.assign(state.stored, rest);
  if (isObject(content)) {
    const { parts: list, ...others } = content;
    Object.assign(state.content, others);
    const items: unknown[] = Array.isArray(list) ? list : [];
    const calls = items.filter((item, position) =>
      readPart(parts, item, state, {
        from: `${from}/content/parts/${position}`,
        to: `${to}/content/parts`,
      }),
    );
    if (calls.length > 0) {
      // Calls are complete, so that they are evaluated with their event. Text that follows is another part.
      parts.closes.push(to);
      state.open = undefined;
    }
  }
  if (typeof candidate.finishReason === "string") parts.stage = "end";
}

/** Returns true for a call. */
function readPart(
  parts: EventParts,
  part: unknown,
  state: CandidateState,
  { from, to }: Mapping,
): boolean {
  if (!isObject(part)) return false;
  const isText = Object.entries(part).every(isTextMember);
  const open = state.open === undefined ? undefined : state.parts[state.open];
  const continues = isText && open && (open.thought === true) === (part.thought === true);
  const at = continues ? (state.open ?? 0) : state.parts.length;
  takeText(parts, part, "text", { pointer: `${from}/text`, slot: `${to}/${at}/text` });
  if (continues) Object.assign(open, part);
  else {
    if (state.open !== undefined) parts.closes.push(`${to}/${state.open}`);
    if (state.parts.push(part) > MAX_PARTS) {
      throw buildUnreadableError(`a candidate has more than ${MAX_PARTS} parts`);
    }
  }
  state.open = isText ? at : undefined;
  return isCall(part);
}

const MAX_PARTS = 4096;

const isTextMember = ([name, value]: [string, unknown]): boolean =>
  name === "text" ||
  name === "thoughtSignature" ||
  (name === "thought" && typeof value === "boolean");

/** Google's clients read names in both spellings. */
function isCall({ functionCall, function_call }: JsonObject): boolean {
  const calls = [functionCall, function_call].filter(isObject);
  if (calls.some(isPartial)) throw buildUnreadableError("a function call is streamed in parts");
  return calls.length > 0;
}

const isPartial = (call: JsonObject): boolean =>
  "partialArgs" in call ||
  "partial_args" in call ||
  call.willContinue === true ||
  call.will_continue === true;
