/** Streams a completed response object as events, item by item. */
import { formatNamedEvent, paceWords } from "./wire.ts";

interface TextPart {
  type: "output_text";
  text: string;
  annotations: never[];
  logprobs: never[];
}

export interface MessageItem {
  id: string;
  type: "message";
  role: "assistant";
  status: string;
  content: TextPart[];
}

export interface CallItem {
  id: string;
  type: "function_call";
  call_id: string;
  status: string;
  name: string;
  arguments: string;
}

export type OutputItem = MessageItem | CallItem;

interface CompletedResponse {
  status: string;
  output: OutputItem[];
}

export async function* responseEvents(finished: CompletedResponse): AsyncGenerator<string> {
  let sequence_number = 0;
  const begun = {
    ...finished,
    status: "in_progress",
    incomplete_details: null,
    output: [],
    usage: null,
  };
  for await (const event of unnumbered()) {
    yield formatNamedEvent({ ...event, sequence_number });
    sequence_number += 1;
  }

  async function* unnumbered(): AsyncGenerator<Event> {
    yield { type: "response.created", response: begun };
    yield { type: "response.in_progress", response: begun };
    for (const [output_index, item] of finished.output.entries()) {
      yield* item.type === "message"
        ? messageEvents(item, output_index)
        : callEvents(item, output_index);
      yield { type: "response.output_item.done", output_index, item };
    }
    yield { type: `response.${finished.status}`, response: finished };
  }
}

type Event = { type: string } & Record<string, unknown>;

async function* messageEvents(item: MessageItem, output_index: number): AsyncGenerator<Event> {
  const added = { ...item, status: "in_progress", content: [] };
  yield { type: "response.output_item.added", output_index, item: added };
  for (const [content_index, part] of item.content.entries()) {
    const where = { item_id: item.id, output_index, content_index };
    yield { type: "response.content_part.added", ...where, part: { ...part, text: "" } };
    for await (const delta of paceWords(part.text)) {
      yield { type: "response.output_text.delta", ...where, delta, logprobs: [] };
    }
    yield { type: "response.output_text.done", ...where, text: part.text, logprobs: [] };
    yield { type: "response.content_part.done", ...where, part };
  }
}

async function* callEvents(item: CallItem, output_index: number): AsyncGenerator<Event> {
  const where = { item_id: item.id, output_index };
  const added = { ...item, status: "in_progress", arguments: "" };
  yield { type: "response.output_item.added", output_index, item: added };
  for await (const delta of paceWords(item.arguments)) {
    yield { type: "response.function_call_arguments.delta", ...where, delta };
  }
  yield {
    type: "response.function_call_arguments.done",
    ...where,
    name: item.name,
    arguments: item.arguments,
  };
}
