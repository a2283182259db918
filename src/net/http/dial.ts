/** Opens a connection to a checked address. After a failure here nothing was sent, so the request can be retried. */
import { AppError } from "../../contract/errors.ts";
import { type Connection, socketEvents } from "./connection.ts";

export interface DialEndpoint {
  address: string;
  port: number;
  /** For https: the expected server name and the trusted authorities. */
  tls: Bun.TLSOptions | undefined;
}

/** TCP keep-alive, so that the network does not drop a connection while a model computes. */
const TCP_KEEP_ALIVE_MS = 30_000;

export function dial(
  { address, port, tls }: DialEndpoint,
  hooks: Pick<Connection, "onFree" | "onClose">,
  timeoutMs: number,
): Promise<Connection> {
  const { promise, resolve, reject } = Promise.withResolvers<Connection>();
  let settled = false;
  let socket: Bun.Socket<Connection> | undefined;
  const settle = (cause?: unknown) => {
    if (settled) return;
    settled = true;
    clearTimeout(timer);
    if (socket && cause === undefined) return resolve(socket.data);
    socket?.terminate();
    reject(new AppError("upstream_unreachable", undefined, { cause }));
  };
  const timer = setTimeout(settle, timeoutMs, new Error("The connection timed out."));

  Bun.connect<Connection>({
    hostname: address,
    port,
    ...(tls && { tls }),
    socket: {
      ...socketEvents,
      open(opened) {
        socket = opened;
        socket.data = {
          socket,
          address,
          exchange: undefined,
          unsent: [],
          onFlushed: undefined,
          idle_until: 0,
          ...hooks,
        };
        if (settled) return void socket.terminate(); // too late
        // An idle connection does not keep the process alive; a running exchange does, through its watch.
        socket.unref();
        socket.setNoDelay(true);
        socket.setKeepAlive(true, TCP_KEEP_ALIVE_MS);
        if (!tls) settle();
      },
      handshake: (_, trusted, cause) =>
        settle(trusted ? undefined : (cause ?? new Error("The certificate was not accepted."))),
      close(closed, error) {
        settle(error ?? new Error("The connection was closed."));
        socketEvents.close(closed, error);
      },
    },
  }).catch(settle);
  return promise;
}
