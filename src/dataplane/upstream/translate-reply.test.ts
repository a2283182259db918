import { expect, test } from "bun:test";
import { measureLongestTurn } from "../../../test/kit/measure-longest-turn.ts";
import { inboundDialects, outboundDialects } from "../../dialects/all.ts";
import { createFairTurns } from "../../lib/concurrency/fair-turns.ts";
import { createWholeReply } from "../../net/http/reply.ts";
import { translateReply } from "./translate-reply.ts";

test.each([
  ["events", 'data: {"choices":[{"delta":{"content":"a"}}]}\n\n', 200_000],
  ["blank lines", "\n", 8_000_000],
])("other requests run while a stream with many %s is translated", async (_, event, count) => {
  const { messages: inbound } = inboundDialects;
  const { chat: outbound } = outboundDialects;
  if (!inbound || !outbound) throw new Error("unknown dialect");
  const end = 'data: {"choices":[{"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
  const headers = new Map([["content-type", "text/event-stream"]]);
  const bytes = Buffer.from(event.repeat(count) + end);
  const { read } = await translateReply(createWholeReply({ status: 200, headers }, bytes), {
    inbound,
    outbound,
    reply: { model: "m", id: "1", created: 1, request: {} },
    isStream: true,
    onUsage() {},
    work: createFairTurns().measure("consumer"),
  });

  const [longest, , all] = await measureLongestTurn(async () => {
    let chunk = await read();
    while (chunk) chunk = await read();
  });

  expect(longest).toBeLessThan(all / 3);
});
