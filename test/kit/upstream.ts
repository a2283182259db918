/** A real upstream on loopback: records every byte and responds by script, including faults. */
import { createServer, type Socket } from "node:net";

export interface ReceivedRequest {
  method: string;
  path: string;
  query: string;
  headers: Record<string, string>;
  body: Buffer;
  /** The caller disconnected before the response was complete. */
  cancelled: boolean;
}

export interface UpstreamResponse {
  status?: number;
  headers?: Record<string, string>;
  /** Text, bytes, or an object that goes as JSON. */
  body?: string | Uint8Array<ArrayBuffer> | object;
  /** A streamed body instead: texts or bytes, and between them milliseconds or a promise to wait for. */
  chunks?: Chunk[];
  /** Action after the chunks. */
  ending?: "end" | "reset" | "hang";
  /** Milliseconds before the head. */
  delay_ms?: number;
}

type Chunk = string | Uint8Array | number | Promise<void>;

export type Script = UpstreamResponse | ((hit: ReceivedRequest, count: number) => UpstreamResponse);

export interface Upstream extends AsyncDisposable {
  url: string;
  hits: ReceivedRequest[];
  /** Sets the script of later responses. */
  script: (script: Script) => void;
}

export function startUpstream(first: Script = { body: {} }): Upstream {
  let script = first;
  const hits: ReceivedRequest[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 60,
    development: false,
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    async fetch(request) {
      const url = new URL(request.url);
      const hit: ReceivedRequest = {
        method: request.method,
        path: url.pathname,
        query: url.search,
        headers: Object.fromEntries(request.headers),
        body: Buffer.alloc(0),
        cancelled: false,
      };
      request.signal.addEventListener("abort", () => {
        hit.cancelled = true;
      });
      hits.push(hit);
      hit.body = Buffer.from(await request.bytes());
      const reply = typeof script === "function" ? script(hit, hits.length) : script;
      await Bun.sleep(reply.delay_ms ?? 0);
      return respond(reply);
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    hits,
    script: (next) => {
      script = next;
    },
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

function respond({
  status = 200,
  headers = {},
  body,
  chunks,
  ending = "end",
}: UpstreamResponse): Response {
  if (chunks) return new Response(paced(chunks, ending), { status, headers });
  if (typeof body === "string" || body instanceof Uint8Array) {
    return new Response(body, { status, headers });
  }
  return Response.json(body ?? {}, { status, headers });
}

function paced(chunks: Chunk[], ending: "end" | "reset" | "hang") {
  const left = [...chunks];
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      let next = left.shift();
      while (typeof next === "number" || next instanceof Promise) {
        await (typeof next === "number" ? Bun.sleep(next) : next);
        next = left.shift();
      }
      if (next !== undefined) return controller.enqueue(Buffer.from(next));
      if (ending === "hang") await new Promise(() => {});
      if (ending === "reset") controller.error(new Error("reset by script"));
      else controller.close();
    },
  });
}

/** An upstream that writes what it likes, HTTP or not. `onRequest` runs at the first bytes of each call. */
export async function startRawUpstream(
  onRequest: (socket: Socket) => void,
): Promise<{ url: string; calls: () => number } & AsyncDisposable> {
  let calls = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
    socket.once("data", () => {
      calls += 1;
      onRequest(socket);
    });
  });
  const port = await new Promise<number>((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address ? address.port : 0);
    });
  });
  return {
    url: `http://127.0.0.1:${port}`,
    calls: () => calls,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
