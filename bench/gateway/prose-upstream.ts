/** An upstream whose chat responses are ordinary prose: complete, or streamed in words. */
import { proseOf } from "../guard/prose.ts";

const PACE_MS = 50;
const CHUNKS = 20;
/** Pause in the middle of a stream of the model `pause`. */
const PAUSE_MS = 6000;

const reply = JSON.stringify({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "gpt-4o-mini",
  choices: [
    {
      index: 0,
      message: { role: "assistant", content: proseOf(700, 3), refusal: null },
      logprobs: null,
      finish_reason: "stop",
    },
  ],
  usage: { prompt_tokens: 200, completion_tokens: 200, total_tokens: 400 },
});

Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.argv[2]),
  idleTimeout: 255,
  development: false,
  routes: {
    "/v1/chat/completions": async (request: Request) => {
      const { stream, model } = (await request.json()) as { stream?: boolean; model: string };
      if (!stream) return new Response(reply, { headers: { "content-type": "application/json" } });
      return new Response(words(model === "pause"), {
        headers: { "content-type": "text/event-stream" },
      });
    },
  },
});

function words(pauses: boolean): ReadableStream<string> {
  const parts = proseOf(600, 5).split(/(?<= )/);
  let index = 0;
  return new ReadableStream({
    async pull(controller) {
      if (index) await Bun.sleep(pauses && index === CHUNKS / 2 ? PAUSE_MS : PACE_MS);
      if (index === CHUNKS) {
        controller.enqueue("data: [DONE]\n\n");
        controller.close();
        return;
      }
      const finish_reason = index === CHUNKS - 1 ? "stop" : null;
      const choices = [{ index: 0, delta: { content: parts[index] }, finish_reason }];
      const chunk = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, choices };
      controller.enqueue(`data: ${JSON.stringify({ ...chunk, model: "gpt-4o-mini" })}\n\n`);
      index += 1;
    },
  });
}
