/** Ends a blocked stream of `/v1/responses`. */

import { isObject, type JsonObject } from "../../../lib/json/json-object.ts";
import { dropText, dropTextAndObject, type SentState } from "./stream-format.ts";

const NO_USAGE = {
  input_tokens: 0,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 0,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 0,
};

/** Closes the open parts and items, and repeats only what was sent: never tool calls or other members. */
export function buildEnding(
  response: JsonObject,
  { open, texts, is_started }: SentState,
): JsonObject[] {
  const { output } = response;
  const items = Array.isArray(output) ? output.map(readItem) : [];
  const messages = items.map((item, index) => buildMessage(item, index, texts));
  const events: JsonObject[] = [];
  for (const pointer of [...open].sort((one, other) => other.length - one.length)) {
    const [, , item = "", list, at = ""] = pointer.split("/");
    const output_index = Number(item);
    const { id } = items[output_index] ?? {};
    if (list === "content") {
      const content_index = Number(at);
      const where = { item_id: id, output_index, content_index };
      const part = messages[output_index]?.content[content_index] ?? {};
      const done = "refusal" in part ? "response.refusal.done" : "response.output_text.done";
      events.push({ ...part, type: done, ...where });
      events.push({ type: "response.content_part.done", ...where, part });
    } else if (list === undefined) {
      const { type } = items[output_index] ?? {};
      const done = messages[output_index] ?? { id, type, status: "incomplete", summary: [] };
      events.push({ type: "response.output_item.done", output_index, item: done });
    }
  }
  const begun = {
    id: dropText(response.id, "id"),
    object: "response",
    created_at: dropText(response.created_at),
    status: "in_progress",
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    model: dropText(response.model, "model"),
    output: [],
    parallel_tool_calls: true,
    temperature: null,
    tool_choice: "auto",
    tools: [],
    top_p: null,
    usage: null,
  };
  if (!is_started) events.unshift({ type: "response.created", response: begun });
  const incomplete = {
    ...begun,
    status: "incomplete",
    incomplete_details: { reason: "content_filter" },
    output: is_started ? messages.flatMap((message) => message ?? []) : [],
    usage: isObject(response.usage) ? dropText(response.usage) : NO_USAGE,
  };
  return [...events, { type: "response.incomplete", response: incomplete }];
}

/** Returns the members of an item that are not text. */
function readItem(item: unknown): { id?: unknown; type?: unknown; parts: number } {
  if (!isObject(item)) return { parts: 0 };
  const parts = Array.isArray(item.content) ? item.content.length : 0;
  const id = dropTextAndObject(item.id, "id");
  return { id, type: dropTextAndObject(item.type, "type"), parts };
}

function buildMessage(item: ReturnType<typeof readItem>, index: number, texts: SentState["texts"]) {
  if (item.type !== "message") return undefined;
  const content = Array.from({ length: item.parts }, (_, part): JsonObject => {
    const at = `/output/${index}/content/${part}`;
    const refusal = texts.get(`${at}/refusal`);
    if (refusal !== undefined) return { type: "refusal", refusal };
    const text = texts.get(`${at}/text`) ?? "";
    return { type: "output_text", text, annotations: [], logprobs: [] };
  });
  return { id: item.id, type: "message", role: "assistant", status: "incomplete", content };
}
