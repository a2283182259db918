/** A raw socket server for invalid HTTP, and a minimal request to it. */
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { createServer as createTlsServer, type TlsOptions } from "node:tls";
import type { OutboundRequest } from "../../src/net/send.ts";

export interface RawServer extends AsyncDisposable {
  url: string;
  port: number;
  seen: { connections: number; open: Set<Socket> };
}

/** Passes on each raw connection; with `tls`, after its handshake. */
export async function listenRaw(
  onConnection: (socket: Socket) => void,
  tls?: TlsOptions,
): Promise<RawServer> {
  const seen: RawServer["seen"] = { connections: 0, open: new Set() };
  const take = (socket: Socket) => {
    seen.connections += 1;
    seen.open.add(socket);
    socket.on("close", () => seen.open.delete(socket));
    socket.on("error", () => {});
    onConnection(socket);
  };
  const server = tls ? createTlsServer(tls, take) : createServer(take);
  await once(server.listen(0, "127.0.0.1", 8192), "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls ? "https" : "http"}://127.0.0.1:${port}`,
    port,
    seen,
    async [Symbol.asyncDispose]() {
      for (const socket of seen.open) socket.destroy();
      server.close();
    },
  };
}

/** Calls back for each request; ignores the bytes after the header block. */
export const listenForRequests = (
  onRequest: (socket: Socket, path: string, head: string) => void,
  tls?: TlsOptions,
): Promise<RawServer> =>
  listenRaw((socket) => {
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      for (let end = text.indexOf("\r\n\r\n"); end >= 0; end = text.indexOf("\r\n\r\n")) {
        const head = text.slice(0, end);
        text = text.slice(end + 4);
        onRequest(socket, head.split(" ", 2)[1] ?? "", head);
      }
    });
  }, tls);

export const ask = (url: string, more: Partial<OutboundRequest> = {}): OutboundRequest => ({
  url,
  method: "GET",
  headers: {},
  allow_private: true,
  timeouts: { headers_ms: 5000, idle_ms: 5000 },
  ...more,
});
