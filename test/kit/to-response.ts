/** Converts an upstream reply to a Response. */
import type { Reply } from "../../src/net/http/reply.ts";

export function toResponse({ status, headers, read, cancel }: Reply): Response {
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const chunk = await read();
        if (chunk) controller.enqueue(chunk);
        else controller.close();
      },
      cancel,
    },
    { highWaterMark: 0 },
  );
  const empty = status === 204 || status === 304;
  const copied = NAMES.flatMap((name) => {
    const value = headers.get(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return new Response(empty ? null : body, { status, headers: Object.fromEntries(copied) });
}

/** Those that tests look at. */
const NAMES = ["content-type", "content-encoding", "location", "x-got"];
