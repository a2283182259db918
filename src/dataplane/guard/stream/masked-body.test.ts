import { expect, test } from "bun:test";
import { FORMATS, openText } from "../../../../test/kit/mask-words.ts";
import { createByteBudget } from "../../../lib/concurrency/byte-budget.ts";
import { createFairTurns } from "../../../lib/concurrency/fair-turns.ts";
import { reserveBytes } from "../../../reserve-bytes.ts";
import type { StreamedBody } from "../../upstream/upstream-reply.ts";
import { createMaskedBody } from "./masked-body.ts";
import type { StreamEvaluation } from "./stream-evaluation.ts";

test("the time for which a client does not read is no work of its consumer", async () => {
  let time = 0;
  const turns = createFairTurns(() => time);
  const delta = { content: "Hello" };
  const first = Buffer.from(`data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`);
  const read = () => new Promise<undefined>(() => {});
  const body = { first, read, cancel() {} } as Partial<StreamedBody> as StreamedBody;
  const evaluation = {
    deps: {
      turns,
      now: () => new Date(0),
      openResponseGuard: () => ({ openText }),
    },
    context: { request: { consumer_id: "a" }, collector_id: "c" },
    format: FORMATS.chat(),
    memory: reserveBytes({ heldBytes: createByteBudget(Infinity) }, "a"),
    evaluate: async () => ({ masked: null, blocked: false, isClean: true }),
  } as unknown as StreamEvaluation;
  const masked = createMaskedBody(evaluation, body);

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
