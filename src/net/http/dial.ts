/** Opens a connection to a checked address. What fails here certainly reached nobody, and may go elsewhere. */
import { AppError } from "../../contract/errors.ts";
import { type Connection, socketEvents } from "./connection.ts";

export interface DialEndpoint {
  address: string;
  port: number;
  /** For https: whose certificate is expected, and who may have signed it. */
  tls: Bun.TLSOptions | undefined;
}

/** A connection that is silent while a model thinks must not be forgotten by the network between. */
const TCP_KEEP_ALIVE_MS = 30_000;

export function dial(
  { address, port, tls }: DialEndpoint,
  hooks: Pick<Connection, "onFree" | "onClose">,
  mostMs: number,
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
  const timer = setTimeout(settle, mostMs, new Error("The connection timed out."));

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
        // Not a reason for the program to go on by itself: an exchange is, by the watch that looks at it.
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
