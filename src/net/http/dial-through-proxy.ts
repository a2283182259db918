/** Opens a connection through an HTTP proxy (CONNECT). TLS is end to end: the proxy sees only the address. */
import { AppError } from "../../contract/errors.ts";
import { type Connection, socketEvents } from "./connection.ts";
import {
  type ConnectionHooks,
  configureSocket,
  createPendingDial,
  type DialEndpoint,
  dialEvents,
} from "./dial.ts";
import { readHeaderBlock } from "./read-header-block.ts";
import { writeHeaderBlock } from "./write-header-block.ts";

/** Checked address of a proxy. */
export interface ProxyEndpoint {
  address: string;
  port: number;
  authorization: string | undefined;
}

const MAX_REPLY_BYTES = 16 * 1024;
const HEADER_BLOCK_END = "\r\n\r\n";

export function dialThroughProxy(
  { address, port, tls }: DialEndpoint,
  proxy: ProxyEndpoint,
  hooks: ConnectionHooks,
  timeoutMs: number,
): Promise<Connection> {
  const pending = createPendingDial(address, hooks, timeoutMs);
  const events = { ...socketEvents, ...dialEvents(pending) };
  /** `tunnel`: the proxy's response was read. `upgraded`: the events of the TLS socket apply. */
  let stage: "connect" | "tunnel" | "upgraded" = "connect";
  let received = "";

  const onReply = (socket: Bun.Socket<Connection>, bytes: Buffer<ArrayBuffer>) => {
    received += bytes.toString("latin1");
    if (!received.includes(HEADER_BLOCK_END) && received.length <= MAX_REPLY_BYTES) return;
    const problem = findProxyProblem(received);
    if (problem) return pending.fail(problem);
    if (!tls) {
      stage = "tunnel";
      return pending.succeed();
    }
    stage = "upgraded";
    const { data } = socket;
    const [, secured] = socket.upgradeTLS({ data, tls, socket: events });
    pending.open(secured); // the connection uses this socket from here on
  };

  Bun.connect<Connection>({
    hostname: proxy.address,
    port: proxy.port,
    socket: {
      ...events,
      open(socket) {
        if (!pending.open(socket)) return;
        configureSocket(socket);
        socket.write(writeConnect(address, port, proxy.authorization));
      },
      data(socket, bytes: Buffer<ArrayBuffer>) {
        if (stage === "connect") onReply(socket, bytes);
        else if (stage === "tunnel") events.data(socket, bytes);
      },
      drain: (socket) => void (stage !== "upgraded" && events.drain(socket)),
      timeout: (socket) => void (stage !== "upgraded" && events.timeout(socket)),
      error: (socket, error) => void (stage !== "upgraded" && events.error(socket, error)),
      close(socket, error) {
        if (stage === "connect") pending.fail(proxyError("closed the connection"));
        else if (stage === "tunnel") events.close(socket, error);
      },
    },
  }).catch((cause) => pending.fail(proxyError("could not be reached", cause)));
  return pending.promise;
}

function writeConnect(address: string, port: number, authorization: string | undefined): string {
  const host = `${address.includes(":") ? `[${address}]` : address}:${port}`;
  return writeHeaderBlock(
    { method: "CONNECT", path: host },
    { host, ...(authorization && { "proxy-authorization": authorization }) },
  );
}

/** Returns why the response to CONNECT is not a tunnel. Bytes after it would be read as the upstream's. */
function findProxyProblem(received: string): AppError | undefined {
  const end = received.indexOf(HEADER_BLOCK_END);
  // Like the response to HEAD, that to CONNECT has no body.
  const reply = end < 0 ? undefined : readHeaderBlock(received.slice(0, end), "HEAD");
  if (!reply) return proxyError("sent an invalid response");
  const { status } = reply;
  const isComplete = end + HEADER_BLOCK_END.length === received.length;
  if (status === 200 && isComplete) return undefined;
  if (status === 200) return proxyError("sent an invalid response");
  if (status === 407) return proxyError("requires other credentials (status 407)");
  if (status >= 500) return proxyError(`could not reach the upstream (status ${status})`);
  return proxyError(`does not allow this upstream (status ${status})`);
}

export const proxyError = (reason: string, cause?: unknown): AppError =>
  new AppError("upstream_unreachable", `The egress proxy ${reason}.`, { cause });
