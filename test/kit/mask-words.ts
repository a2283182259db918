/** Masks a recorded stream with a detector of two words: one is masked, the other blocks. */
import { createChatFormat } from "../../src/dataplane/guard/stream/chat-format.ts";
import { createGenerateContentFormat } from "../../src/dataplane/guard/stream/generate-content-format.ts";
import { createStreamMask } from "../../src/dataplane/guard/stream/mask-stream.ts";
import { createMessagesFormat } from "../../src/dataplane/guard/stream/messages-format.ts";
import { createResponsesFormat } from "../../src/dataplane/guard/stream/responses-format.ts";
import {
  createStreamMemory,
  type EvaluatedText,
} from "../../src/dataplane/guard/stream/stream-evaluation.ts";
import type { StreamFormat } from "../../src/dataplane/guard/stream/stream-format.ts";
import { handleChat } from "../../src/demo/chat.ts";
import { handleGenerateContent } from "../../src/demo/generate-content.ts";
import { handleMessages } from "../../src/demo/messages.ts";
import { handleResponses } from "../../src/demo/responses.ts";
import type { TextStream } from "../../src/evaluation.ts";
import { createByteBudget } from "../../src/lib/concurrency/byte-budget.ts";
import { createEventSplitter } from "../../src/lib/http/split-events.ts";
import { reserveBytes } from "../../src/reserve-bytes.ts";

export const SECRET = "4111 1111";
export const MASK = "[card]";
export const FORBIDDEN = "\u00a7never\u00a7";

export const maskText = (text: string) => text.replaceAll(SECRET, MASK);

/** Masks one word and blocks another; holds back what may be the start of either. */
export function openText(): TextStream {
  let rest = "";
  const emit = (keep: number) => {
    const at = rest.indexOf(FORBIDDEN);
    if (at >= 0) return { text: maskText(rest.slice(0, at)), blocked: true };
    const masked = maskText(rest);
    const text = masked.slice(0, masked.length - keep);
    rest = masked.slice(masked.length - keep);
    return { text, blocked: false };
  };
  return {
    push(text) {
      rest += text;
      const masked = maskText(rest);
      return emit(Math.max(overlap(masked, SECRET), overlap(masked, FORBIDDEN)));
    },
    end: () => emit(0),
  };
}

/** Holds the text to its end, like text that is too long to be masked in parts. */
export function openLongText(): TextStream {
  let held = "";
  return {
    push(text) {
      held += text;
      return { text: "", blocked: false };
    },
    end: () => ({ text: "", blocked: false, held }),
  };
}

/** Length of the longest end of `text` that starts `word`. */
function overlap(text: string, word: string): number {
  let length = Math.min(text.length, word.length - 1);
  while (!text.endsWith(word.slice(0, length))) length--;
  return length;
}

/** Memory of a stream, without the limit of a consumer. */
export const createUncappedMemory = () =>
  createStreamMemory({
    memory: reserveBytes({ heldBytes: createByteBudget(Infinity) }, "consumer"),
  });

function evaluate(text: string): EvaluatedText {
  const masked = maskText(text);
  return { masked: masked === text ? null : masked, blocked: text.includes(FORBIDDEN) };
}

export async function mask(
  createFormat: () => StreamFormat,
  chunks: readonly (string | Uint8Array)[],
  { needs_whole = false, open = openText }: { needs_whole?: boolean; open?: () => TextStream } = {},
) {
  /** Evaluated responses. */
  const recorded: string[] = [];
  /** Evaluated events and tool calls. */
  const parts: string[] = [];
  const splitter = createEventSplitter();
  const stream = createStreamMask(
    createFormat(),
    {
      openText: needs_whole ? undefined : open,
      evaluatePart: async (text) => {
        parts.push(text);
        return evaluate(text);
      },
      evaluateResponse: async (text) => {
        recorded.push(text);
        return evaluate(text);
      },
    },
    createUncappedMemory(),
  );
  const sent: string[] = [];
  for (const chunk of chunks) {
    for (const event of splitter.push(Buffer.from(chunk))) await stream.add(event);
    sent.push(stream.take());
  }
  const last = splitter.end();
  if (last) await stream.add(last);
  await stream.end();
  sent.push(stream.take());
  return { text: sent.join(""), sent, recorded, parts, isBlocked: stream.isBlocked() };
}

/** Parsed data is compared, never used as a type. */
// biome-ignore lint/suspicious/noExplicitAny: parsed events of any format
export const eventsOf = (text: string): any[] =>
  [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data = ""]) => JSON.parse(data));

const OPTIONS = { now: () => new Date(0), newId: () => "1" };
const createRequest = (body: object) =>
  new Request("http://demo", { method: "POST", body: JSON.stringify({ stream: true, ...body }) });

/** Streams of the demo upstream, whose text contains the prompt. */
export async function demoStreams(prompt: string) {
  const messages = [{ role: "user", content: prompt }];
  const replies = {
    chat: await handleChat(
      OPTIONS,
      createRequest({ messages, max_tokens: 12, stream_options: { include_usage: true } }),
    ),
    responses: await handleResponses(
      OPTIONS,
      createRequest({ input: prompt, max_output_tokens: 12 }),
    ),
    messages: await handleMessages(OPTIONS, createRequest({ messages, max_tokens: 12 })),
    generate_content: await handleGenerateContent(
      OPTIONS,
      createRequest({
        contents: [{ parts: [{ text: prompt }] }],
        generationConfig: { maxOutputTokens: 12 },
      }),
      "m:streamGenerateContent",
    ),
  };
  return {
    chat: await replies.chat.text(),
    responses: await replies.responses.text(),
    messages: await replies.messages.text(),
    generate_content: await replies.generate_content.text(),
  };
}

export const FORMATS = {
  chat: createChatFormat,
  responses: createResponsesFormat,
  messages: createMessagesFormat,
  generate_content: createGenerateContentFormat,
};
export type Name = keyof typeof FORMATS;
export const NAMES: Name[] = ["chat", "responses", "messages", "generate_content"];
