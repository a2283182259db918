/**
 * A line to a server on loopback that a test can cut and mend: connections break, new ones are refused. Or freeze and
 * thaw: connections stay, new ones come about, and nothing arrives.
 */
import type { Socket } from "bun";

interface Pair {
  other: Socket<Pair> | undefined;
  /** Data received before the other end was connected. */
  early: Uint8Array[];
}

/** The system hands out no port of this range, so that it is still free when the line is mended. */
function listenBelowEphemeral<Server>(listen: (port: number) => Server): Server {
  for (let tries = 0; ; tries += 1) {
    try {
      return listen(20_000 + Math.floor(Math.random() * 10_000));
    } catch (thrown) {
      if (tries === 20) throw thrown;
    }
  }
}

export function startCuttableProxy(target: string) {
  const { hostname, port } = new URL(target);
  const open = new Set<Socket<Pair>>();
  let frozen = false;
  const stuck: (() => void)[] = [];
  const passOn = {
    data(socket: Socket<Pair>, bytes: Uint8Array) {
      const kept = frozen && bytes.slice();
      if (kept) stuck.push(() => passOn.data(socket, kept));
      else if (socket.data.other) socket.data.other.write(bytes);
      else socket.data.early.push(bytes);
    },
    close(socket: Socket<Pair>) {
      open.delete(socket);
      socket.data.other?.end();
    },
  };
  const listen = (at: number) =>
    Bun.listen<Pair>({
      hostname: "127.0.0.1",
      port: at,
      socket: {
        ...passOn,
        async open(client) {
          client.data = { other: undefined, early: [] };
          open.add(client);
          const upstream = await Bun.connect<Pair>({
            hostname,
            port: Number(port),
            data: { other: client, early: [] },
            socket: passOn,
          });
          for (const bytes of client.data.early) upstream.write(bytes);
          client.data.other = upstream;
        },
      },
    });
  let server = listenBelowEphemeral(listen);
  const at = server.port;
  const url = new URL(target);
  url.port = String(at);
  return {
    url: url.href,
    cut() {
      server.stop(true);
      for (const socket of open) socket.terminate();
    },
    mend() {
      server = listen(at);
    },
    freeze() {
      frozen = true;
    },
    thaw() {
      frozen = false;
      for (const goOn of stuck.splice(0)) goOn();
    },
    [Symbol.dispose]() {
      server.stop(true);
    },
  };
}
