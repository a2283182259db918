import { expect, test } from "bun:test";
import {
  FORBIDDEN,
  FORMATS,
  mask,
  NAMES,
  type Name,
  SECRET,
} from "../../../../test/kit/mask-words.ts";
import { seeded } from "../../../../test/kit/random.ts";

const random = seeded(16);
const STRINGS = ["x", "4111", " 1111", SECRET, `a ${SECRET} b`, "", "\ud83d", "id_1", FORBIDDEN];
const MEMBERS = [
  ...["content", "text", "delta", "choices", "index", "message", "tool_calls", "function"],
  ...["arguments", "name", "id", "type", "role", "finish_reason", "usage", "reasoning_details"],
  ...["item", "part", "response", "output", "output_index", "content_index", "summary_index"],
  ...["content_block", "partial_json", "thinking", "signature", "citation", "sequence_number"],
  ...["audio", "transcript", "input", "summary", "__proto__", "a/b~c", "error", "refusal"],
];
const TYPES = [
  ...["response.created", "response.output_item.added", "response.output_item.done"],
  ...["response.content_part.added", "response.content_part.done", "response.output_text.delta"],
  ...["response.output_text.done", "response.function_call_arguments.delta", "response.x.delta"],
  ...["response.function_call_arguments.done", "response.completed", "message_start", "ping"],
  ...["content_block_start", "content_block_delta", "content_block_stop", "message_delta"],
  ...["message_stop", "error"],
];

function randomValue(depth: number): unknown {
  const kind = depth > 0 ? random.below(10) : 0;
  if (kind < 4) return random.pick(STRINGS);
  if (kind === 4) return random.below(4);
  if (kind === 5) return random.pick([null, true, 1.5]);
  if (kind === 6) return Array.from({ length: random.below(3) }, () => randomValue(depth - 1));
  return randomObject(depth - 1);
}

/** Written as text: a literal cannot have a member `__proto__`. */
function randomObject(depth: number): Record<string, unknown> {
  const names = new Set(Array.from({ length: random.below(5) }, () => random.pick(MEMBERS)));
  const members = [...names].map(
    (name) => `${JSON.stringify(name)}:${JSON.stringify(randomValue(depth))}`,
  );
  return JSON.parse(`{${members.join(",")}}`);
}

function randomPart(): unknown {
  const text = random.pick(STRINGS);
  const thought = random.below(3) === 0 && { thought: random.pick([true, false, text]) };
  const call = { functionCall: { name: "pay", args: randomObject(2) } };
  return random.pick([{ text, ...thought }, { text, ...thought }, call, randomObject(3), text]);
}

function randomEvent(name: Name): string {
  const event = randomObject(3);
  if (name === "chat") {
    event.choices = Array.from({ length: random.below(3) }, () => ({
      index: random.below(2),
      delta: randomObject(3),
      ...(random.below(8) === 0 && { finish_reason: "stop" }),
      ...(random.below(8) === 0 && { message: randomObject(2) }),
    }));
  } else if (name === "generate_content") {
    event.candidates = Array.from({ length: random.below(3) }, () => ({
      index: random.below(2),
      content: { role: "model", parts: Array.from({ length: random.below(4) }, randomPart) },
      ...(random.below(8) === 0 && { finishReason: "STOP" }),
    }));
  } else {
    const index = random.below(2);
    Object.assign(event, { type: random.pick(TYPES), index, output_index: index });
    const member = random.pick(["text", "thinking", "partial_json", "other"]);
    const text = random.pick(STRINGS);
    if (random.below(2) === 0) event.delta = name === "messages" ? { [member]: text } : text;
  }
  const comment = random.below(6) === 0 ? `: ${random.pick(STRINGS)}\n` : "";
  return `${comment}data: ${JSON.stringify(event)}\n\n`;
}

test("streams of random events never contain a masked value, and fail only as unreadable", async () => {
  let readable = 0;
  for (let round = 0; round < 1500; round++) {
    const name = random.pick(NAMES);
    const stream = Array.from({ length: 1 + random.below(12) }, () => randomEvent(name));
    stream.push(random.pick(["", "data: [DONE]\n\n"]));
    const options = { needs_whole: random.below(2) === 0 };

    const sent = await mask(FORMATS[name], stream, options).catch((error: Error) => error);

    if (sent instanceof Error) {
      expect(sent.message).toStartWith("The stream cannot be evaluated:");
      continue;
    }
    readable += 1;
    if (sent.text.includes(SECRET))
      expect({ stream, sent: sent.text }).toEqual({ stream, sent: "" });
  }
  expect(readable).toBeGreaterThan(300);
});
