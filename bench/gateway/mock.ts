/** An upstream for what nginx cannot do: paced streams, slow responses, complete reads of uploads. */
const CHUNKS = 20;
const PACE_MS = 5;
const SLOW_MS = 2000;

let inFlight = 0;
let maxInFlight = 0;

Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.argv[2]),
  idleTimeout: 255,
  development: false,
  maxRequestBodySize: Number.MAX_SAFE_INTEGER,
  routes: {
    "/v1/chat/completions": () =>
      new Response(tokens(), { headers: { "content-type": "text/event-stream" } }),
    "/v1/images/generations": slow,
    "/v1/audio/transcriptions": upload,
    "/v1/files": upload,
    "/max-in-flight": () => Response.json(maxInFlight),
  },
});

/** The first chunk leaves at once: what a gateway adds to it is then all that differs. */
function tokens(): ReadableStream<string> {
  let index = 0;
  return new ReadableStream({
    async pull(controller) {
      if (index) await Bun.sleep(PACE_MS);
      if (index === CHUNKS) {
        controller.enqueue("data: [DONE]\n\n");
        controller.close();
        return;
      }
      const choices = [{ index: 0, delta: { content: `token ${index} ` }, finish_reason: null }];
      const chunk = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, choices };
      controller.enqueue(`data: ${JSON.stringify({ ...chunk, model: "gpt-4o-mini" })}\n\n`);
      index += 1;
    },
  });
}

async function slow(request: Request): Promise<Response> {
  inFlight += 1;
  maxInFlight = Math.max(maxInFlight, inFlight);
  await request.bytes();
  await Bun.sleep(SLOW_MS);
  inFlight -= 1;
  return Response.json({ created: 1, data: [{ b64_json: "aW1hZ2U=" }] });
}

async function upload(request: Request): Promise<Response> {
  let bytes = 0;
  for await (const chunk of request.body ?? []) bytes += chunk.length;
  return Response.json({ id: "file-1", object: "file", bytes, text: "Every byte has arrived." });
}

export {};
