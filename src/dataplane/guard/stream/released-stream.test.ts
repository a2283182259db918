/** A stream whose evaluation fails, and which may pass: every text is sent once. */
import { expect, test } from "bun:test";
import {
  createUncappedMemory,
  demoStreams,
  FORBIDDEN,
  FORMATS,
  NAMES,
  type Name,
  openText,
} from "../../../../test/kit/mask-words.ts";
import { createEventSplitter, type StreamEvent } from "../../../lib/http/split-events.ts";
import { createAssembly } from "./assemble-response.ts";
import { createStreamMask } from "./mask-stream.ts";

const splitEvents = (text: string): StreamEvent[] => createEventSplitter().push(Buffer.from(text));

/** Masks a stream until the evaluation with this number fails. Returns what the client receives, and whether it failed. */
async function passWithFailure(
  name: Name,
  events: StreamEvent[],
  failing: number,
  holdsAll: boolean,
) {
  let evaluations = 0;
  const check = <T>(result: T): T => {
    if (evaluations++ === failing) throw new Error("The evaluation fails.");
    return result;
  };
  const clean = { masked: null, blocked: false };
  const { add, end, release, take } = createStreamMask(
    FORMATS[name](),
    {
      openText: holdsAll ? undefined : openText,
      evaluatePart: async () => check(clean),
      evaluateResponse: async () => check(clean),
    },
    createUncappedMemory(),
  );
  let added = 0;
  try {
    while (added < events.length) await add(events[added++] as StreamEvent);
    await end();
    return { text: take(), hasFailed: false };
  } catch {
    await release();
    const rest = events.slice(added).map(({ text }) => text);
    return { text: take() + rest.join(""), hasFailed: true };
  }
}

/** Returns the texts of a stream; of those that an event repeats, only the deltas. */
function assemble(name: Name, text: string): string {
  const assembly = createAssembly(FORMATS[name](), createUncappedMemory());
  for (const { lines } of splitEvents(text)) {
    const data = lines.find((line) => line.startsWith("data: {"));
    if (data) assembly.add(data.slice(6));
  }
  return assembly.toText();
}

const CALL = {
  chat: [
    {
      tool_calls: [
        { index: 0, id: "c", type: "function", function: { name: "pay", arguments: "" } },
      ],
    },
    ...['{"amount":', "100", "}"].map((part) => ({
      content: "note ",
      tool_calls: [{ index: 0, function: { arguments: part } }],
    })),
  ]
    .map((delta) => `data: ${JSON.stringify({ id: "1", choices: [{ index: 0, delta }] })}\n\n`)
    .join(""),
};

test.each(NAMES.flatMap((name) => [false, true].map((holdsAll) => [name, holdsAll] as const)))(
  "a %s stream (held as a whole: %p) passes with every text once, whichever evaluation fails",
  async (name, holdsAll) => {
    const { [name]: plain } = await demoStreams("pay 41 41 now, 4111");
    const received = name === "chat" ? CALL.chat + plain : plain;
    const events = splitEvents(received);

    let failures = 0;
    for (; ; failures++) {
      const { text, hasFailed } = await passWithFailure(name, events, failures, holdsAll);
      expect([failures, assemble(name, text)]).toEqual([failures, assemble(name, received)]);
      if (!hasFailed) break;
    }

    expect(failures).toBeGreaterThan(0);
  },
);

test("a response that a rule blocks does not pass although recording it fails", async () => {
  const clean = { masked: null, blocked: false };
  const { add, isBlocked, take } = createStreamMask(
    FORMATS.chat(),
    {
      openText,
      evaluatePart: async () => clean,
      evaluateResponse: () => Promise.reject(new Error("The evaluation fails.")),
    },
    createUncappedMemory(),
  );
  const delta = { content: `You ${FORBIDDEN}` };
  const [event] = splitEvents(`data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`);

  await expect(add(event as StreamEvent)).rejects.toThrow("The evaluation fails.");

  expect(isBlocked()).toBe(true);
  expect(take()).not.toContain("never");
});

test("held text that a rule blocks does not pass when the evaluation fails", async () => {
  const clean = { masked: null, blocked: false };
  let isFull = false;
  const { add, release, isBlocked, take } = createStreamMask(
    FORMATS.chat(),
    {
      openText: () => ({
        push: async () => ({ text: "", blocked: false }),
        end: async () => ({ text: "You ", blocked: true }),
      }),
      evaluatePart: async () => clean,
      evaluateResponse: async () => clean,
    },
    {
      ...createUncappedMemory(),
      addText() {
        if (isFull) throw new Error("The memory is exhausted.");
      },
    },
  );
  const [first, second] = splitEvents(
    [`You ${FORBIDDEN}`, " rest"]
      .map(
        (content) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`,
      )
      .join(""),
  );

  await add(first as StreamEvent);
  isFull = true;
  await expect(add(second as StreamEvent)).rejects.toThrow("exhausted");
  await release();

  expect(isBlocked()).toBe(true);
  expect(take()).toContain("content_filter");
});
