/** An upstream that streams chat responses as fast as they are read. The model `hostile-3` sends 3 MB, `short` 750 small events. */
import { proseOf } from "../guard/prose.ts";
import { hostileText } from "./hostile-text.ts";

const LARGE_EVENT = 4096;
const SHORT = { characters: 3000, event: 4 };

Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.argv[2]),
  idleTimeout: 255,
  development: false,
  routes: {
    "/v1/chat/completions": async (request: Request) => {
      const { model } = (await request.json()) as { model: string };
      const megabytes = Number(/^hostile-(\d+)$/.exec(model)?.[1] ?? 0);
      const events = megabytes
        ? repeat(eventOf(hostileText(LARGE_EVENT)), (megabytes * 1e6) / LARGE_EVENT)
        : split(proseOf(SHORT.characters, 5), SHORT.event).map((text) => eventOf(text));
      return new Response(streamOf(events), { headers: { "content-type": "text/event-stream" } });
    },
  },
});

function* repeat(event: string, count: number): Generator<string> {
  for (let index = 0; index < count; index += 1) yield event;
}

const split = (text: string, size: number): string[] =>
  Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
    text.slice(at * size, (at + 1) * size),
  );

function eventOf(content: string, finish_reason: string | null = null): string {
  const choices = [{ index: 0, delta: { content }, finish_reason }];
  const chunk = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, choices };
  return `data: ${JSON.stringify({ ...chunk, model: "gpt-4o-mini" })}\n\n`;
}

function streamOf(events: Iterable<string>): ReadableStream<string> {
  const iterator = events[Symbol.iterator]();
  return new ReadableStream({
    pull(controller) {
      const { value, done } = iterator.next();
      if (!done) return controller.enqueue(value);
      controller.enqueue(`${eventOf("", "stop")}data: [DONE]\n\n`);
      controller.close();
    },
  });
}
