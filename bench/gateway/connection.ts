/** A plain HTTP/1.1 client on one kept-open connection, so that its own cost stays out of the figures. */
export interface Reply {
  status: number;
  /** From the first byte sent to the first byte of the response body. */
  first_ms: number;
  total_ms: number;
  text: string;
}

export interface Connection {
  ask: (head: string, body: Iterable<Uint8Array>) => Promise<Reply>;
  close: () => void;
}

export async function openConnection(port: number): Promise<Connection> {
  let drained = () => {};
  let arrived = (_data: Buffer) => {};
  let broken = (_error: Error) => {};
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: {
      drain: () => drained(),
      data: (_, data) => arrived(data),
      close: () => broken(new Error("The connection was closed before the response was complete.")),
      error: (_, error) => broken(error),
    },
  });
  socket.setNoDelay(true);

  async function write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      const written = socket.write(bytes.subarray(at));
      if (written < 0) throw new Error("The connection was closed before the request was sent.");
      at += written;
      if (at < bytes.length) {
        await new Promise<void>((resolve) => {
          drained = resolve;
        });
      }
    }
  }

  return {
    ask: (head, body) =>
      new Promise((resolve, reject) => {
        const began = performance.now();
        let text = "";
        let first_ms = 0;
        broken = (error) => {
          drained();
          reject(error);
        };
        arrived = (data) => {
          text += data.toString("latin1");
          const bodyAt = text.indexOf("\r\n\r\n") + 4;
          if (bodyAt < 4 || bodyAt === text.length) return;
          const total_ms = performance.now() - began;
          first_ms ||= total_ms;
          if (!isComplete(text, bodyAt)) return;
          resolve({ status: Number(text.slice(9, 12)), first_ms, total_ms, text });
        };
        const send = async () => {
          // As clients do: the head leaves together with what there is of the body.
          let rest = Buffer.from(head);
          for (const bytes of body) {
            await write(Buffer.concat([rest, bytes]));
            rest = Buffer.alloc(0);
          }
          await write(rest);
        };
        send().catch(reject);
      }),
    close: () => socket.terminate(),
  };
}

function isComplete(text: string, bodyAt: number): boolean {
  const length = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, bodyAt))?.[1];
  if (length !== undefined) return text.length - bodyAt >= Number(length);
  return text.endsWith("\r\n0\r\n\r\n");
}
