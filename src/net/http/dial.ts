/** Opens a connection to a checked address. After a failure here nothing was sent, so the request can be retried. */
import { AppError } from "../../contract/errors.ts";
import { type Connection, socketEvents } from "./connection.ts";

export interface DialEndpoint {
  /** Checked address; behind a proxy, the address or the name that the proxy connects to. */
  address: string;
  port: number;
  /** For https: the expected server name and the trusted authorities. */
  tls: Bun.TLSOptions | undefined;
}

export type ConnectionHooks = Pick<Connection, "onFree" | "onClose">;

/** TCP keep-alive, so that the network does not drop a connection while a model computes. */
const TCP_KEEP_ALIVE_MS = 30_000;

/** A connection that is being opened. Only the first outcome counts. */
export interface PendingDial {
  promise: Promise<Connection>;
  /** Attaches the socket that the connection will use. Returns false after the timeout: the socket is then closed. */
  open: (socket: Bun.Socket<Connection>) => boolean;
  succeed: () => void;
  fail: (cause: unknown) => void;
}

export function createPendingDial(
  address: string,
  hooks: ConnectionHooks,
  timeoutMs: number,
): PendingDial {
  const { promise, resolve, reject } = Promise.withResolvers<Connection>();
  let settled = false;
  let socket: Bun.Socket<Connection> | undefined;
  const settle = (): boolean => {
    if (settled) return false;
    settled = true;
    clearTimeout(timer);
    return true;
  };
  const fail = (cause: unknown) => {
    if (!settle()) return;
    socket?.terminate();
    reject(
      cause instanceof AppError
        ? cause
        : new AppError("upstream_unreachable", undefined, { cause }),
    );
  };
  const timer = setTimeout(fail, timeoutMs, new Error("The connection timed out."));
  return {
    promise,
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
      if (settled) socket.terminate(); // too late
      return !settled;
    },
    succeed: () => void (socket && settle() && resolve(socket.data)),
    fail,
  };
}

/** An idle connection does not keep the process alive; a running exchange does, through its watch. */
export function configureSocket(socket: Bun.Socket<Connection>): void {
  socket.unref();
  socket.setNoDelay(true);
  socket.setKeepAlive(true, TCP_KEEP_ALIVE_MS);
}

export function dial(
  { address, port, tls }: DialEndpoint,
  hooks: ConnectionHooks,
  timeoutMs: number,
): Promise<Connection> {
  const pending = createPendingDial(address, hooks, timeoutMs);
  Bun.connect<Connection>({
    hostname: address,
    port,
    ...(tls && { tls }),
    socket: {
      ...socketEvents,
      ...dialEvents(pending),
      open(socket) {
        if (!pending.open(socket)) return;
        configureSocket(socket);
        if (!tls) pending.succeed();
      },
    },
  }).catch(pending.fail);
  return pending.promise;
}

/** Ends a pending dial with the handshake, or when the connection closes before. */
export const dialEvents = (pending: PendingDial) => ({
  handshake(_: Bun.Socket<Connection>, trusted: boolean, cause: Error | null) {
    if (trusted) pending.succeed();
    else pending.fail(cause ?? new Error("The certificate was not accepted."));
  },
  close(socket: Bun.Socket<Connection>, error?: Error) {
    pending.fail(error ?? new Error("The connection was closed."));
    socketEvents.close(socket, error);
  },
});
