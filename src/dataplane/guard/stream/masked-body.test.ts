import { expect, test } from "bun:test";
import { FORMATS, openText } from "../../../../test/kit/mask-words.ts";
import { createByteBudget } from "../../../lib/concurrency/byte-budget.ts";
import { createFairTurns } from "../../../lib/concurrency/fair-turns.ts";
import { reserveBytes } from "../../../reserve-bytes.ts";
import type { StreamedBody } from "../../upstream/upstream-reply.ts";
import { createMaskedBody } from "./masked-body.ts";
import type { StreamEvaluation } from "./stream-evaluation.ts";

const toEvent = (content: string) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;

/** Masks a stream whose first chunk is all that has arrived. */
function maskChunk(chunk: string, changes: Partial<StreamEvaluation> = {}, time = () => 0) {
  const turns = createFairTurns(time);
  const first = Buffer.from(chunk);
  const read = () => new Promise<undefined>(() => {});
  const body = { first, read, cancel() {} } as Partial<StreamedBody> as StreamedBody;
  const evaluation = {
    deps: {
      turns,
      now: () => new Date(0),
      log() {},
      openResponseGuard: () => ({ openText }),
    },
    context: { request: { consumer_id: "a" }, collector_id: "c" },
    format: FORMATS.chat(),
    memory: reserveBytes({ heldBytes: createByteBudget(Infinity) }, "a"),
    evaluate: async () => ({ masked: null, blocked: false, isClean: true }),
    fail: async () => {},
    ...changes,
  } as unknown as StreamEvaluation;
  return { turns, masked: createMaskedBody(evaluation, body) };
}

test("the time for which a client does not read is no work of its consumer", async () => {
  let time = 0;
  const { turns, masked } = maskChunk(toEvent("Hello"), {}, () => time);

  await masked.read();
  time += 3000;
  await masked.stop();

  const order: string[] = [];
  const run = async (owner: string, ms: number) => {
    await turns.take({ owner, ms });
    order.push(owner);
    time += ms;
  };
  await Promise.all([run("b", 8), run("b", 8), run("b", 8), run("a", 8)]);
  expect(order.indexOf("a")).toBeLessThan(3);
});

const WORDS = Array.from({ length: 2000 }, (_, at) => toEvent(`word ${at} `));

test("a large chunk is split in parts, which are sent as soon as they are evaluated", async () => {
  const { masked } = maskChunk(WORDS.join(""));

  const part = await masked.read();

  expect(part?.length).toBeGreaterThan(1024);
  expect(part?.length).toBeLessThan(32 * 1024);
});

test.each([0, 30, 1000])(
  "a stream that may pass although its event %d cannot be read has every event once",
  async (failing) => {
    const events = WORDS.with(failing, "data: {\n\n");
    const { masked } = maskChunk(events.join(""));

    let received = "";
    while (received.length < events.join("").length) {
      received += Buffer.from((await masked.read()) ?? []).toString();
    }

    expect(received).toBe(events.join(""));
  },
);
