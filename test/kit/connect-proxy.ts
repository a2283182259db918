/** A real HTTP proxy on loopback that accepts CONNECT, with scripted refusals. */
import { connect, createServer, type Socket } from "node:net";

export interface ConnectProxyOptions {
  /** `user:password` that clients must send. */
  user?: string;
  /** Status instead of a tunnel. */
  refuse?: number;
  /** Text instead of an HTTP response. */
  reply?: string;
}

/** Connects every host to the same port on loopback, so that names need not exist. */
export async function startConnectProxy({ user, refuse, reply }: ConnectProxyOptions = {}) {
  const targets: string[] = [];
  const sockets = new Set<Socket>();
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket)).on("error", () => {});
    return socket;
  };
  const server = createServer((client) => {
    track(client);
    client.once("data", (bytes) => {
      const header = bytes.toString("latin1");
      const [, target = ""] = /^CONNECT (\S+) HTTP\/1\.1\r\n/.exec(header) ?? [];
      targets.push(target);
      const [, sent = ""] = /\r\nproxy-authorization: Basic (\S+)\r\n/i.exec(header) ?? [];
      if (reply !== undefined) client.end(reply);
      else if (user !== undefined && atob(sent) !== user) client.end("HTTP/1.1 407 No\r\n\r\n");
      else if (refuse) client.end(`HTTP/1.1 ${refuse} No\r\ncontent-length: 2\r\n\r\nno`);
      else tunnel(client, Number(/\d+$/.exec(target)?.[0]));
    });
  });
  const tunnel = (client: Socket, port: number) => {
    const upstream = track(connect(port, "127.0.0.1"));
    upstream.once("connect", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      client.pipe(upstream).pipe(client);
    });
    client.on("close", () => upstream.destroy());
    upstream.on("close", () => client.destroy());
  };
  const port = await new Promise<number>((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address ? address.port : 0);
    });
  });
  return {
    url: `http://${user ? `${user}@` : ""}127.0.0.1:${port}`,
    port,
    /** Targets of the CONNECT requests. */
    targets,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
