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
    "/v1/chat/completions": () => stream(chatChunks()),
    "/v1/messages": () => stream(messageEvents()),
    "/v1/images/generations": slow,
    "/v1/audio/transcriptions": upload,
    "/v1/files": upload,
    "/max-in-flight": () => Response.json(maxInFlight),
  },
});

/** Sends the first event immediately, so that only the time added by a gateway differs, and the others at a pace. */
function stream(events: readonly string[]): Response {
  let index = 0;
  const body = new ReadableStream<string>({
    async pull(controller) {
      if (index) await Bun.sleep(PACE_MS);
      controller.enqueue(events[index]);
      index += 1;
      if (index === events.length) controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

const texts = Array.from({ length: CHUNKS }, (_, index) => `token ${index} `);

function chatChunks(): string[] {
  const chunk = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1 };
  const lines = texts.map((content) => {
    const choices = [{ index: 0, delta: { content }, finish_reason: null }];
    return JSON.stringify({ ...chunk, choices, model: "gpt-4o-mini" });
  });
  return [...lines, "[DONE]"].map((line) => `data: ${line}\n\n`);
}

/** The same text as `chatChunks` in Anthropic's format, in as many writes. */
function messageEvents(): string[] {
  const event = (data: { type: string }) =>
    `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
  const message = {
    ...{ id: "msg_1", type: "message", role: "assistant", model: "claude", content: [] },
    ...{ stop_reason: null, stop_sequence: null, usage: { input_tokens: 9, output_tokens: 1 } },
  };
  const block = { type: "text", text: "" };
  const start = [
    event({ type: "message_start", ...{ message } }),
    event({ type: "content_block_start", ...{ index: 0, content_block: block } }),
  ];
  const [first = "", ...deltas] = texts.map((text) =>
    event({ type: "content_block_delta", ...{ index: 0, delta: { type: "text_delta", text } } }),
  );
  const delta = { stop_reason: "end_turn", stop_sequence: null };
  const end = [
    event({ type: "content_block_stop", ...{ index: 0 } }),
    event({ type: "message_delta", ...{ delta, usage: { output_tokens: CHUNKS } } }),
    event({ type: "message_stop" }),
  ];
  return [[...start, first].join(""), ...deltas, end.join("")];
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
  return Response.json({
    id: "file-1",
    object: "file",
    bytes,
    text: `${bytes} bytes have arrived.`,
  });
}

export {};
