import { expect, test } from "bun:test";
import type { Connection } from "./connection.ts";
import { socketEvents } from "./connection.ts";
import { runExchange } from "./run-exchange.ts";

/** Loopback takes megabytes at once: only a socket of our own takes a few bytes at a time. */
function narrow(most: number) {
  const taken: Buffer[] = [];
  const socket = {
    write(bytes: Uint8Array, from = 0, length = bytes.length - from) {
      const part = Buffer.from(bytes.subarray(from, from + Math.min(most, length)));
      taken.push(part);
      return part.length;
    },
  };
  const connection = { socket, exchange: undefined, unsent: [], onTaken: undefined };
  return {
    connection: connection as unknown as Connection,
    drain: () => socketEvents.drain({ data: connection } as never),
    sent: () => Buffer.concat(taken).toString(),
  };
}

const ask = (text: string) => ({
  method: "POST",
  header_block: `POST /${text} HTTP/1.1\r\n\r\n`,
  body: Buffer.from(text.repeat(20)),
  content_length: undefined,
  signal: undefined,
  client: undefined,
  timeouts: { headers_ms: 1_000, idle_ms: 1_000 },
});

test("what the system does not take at once is not overwritten by the next request", () => {
  const [one, other] = [narrow(7), narrow(11)];
  void runExchange(one.connection, ask("one"));
  void runExchange(other.connection, ask("other"));

  for (let turn = 0; turn < 50; turn++) {
    one.drain();
    other.drain();
  }

  expect(one.sent()).toBe(`POST /one HTTP/1.1\r\n\r\n${"one".repeat(20)}`);
  expect(other.sent()).toBe(`POST /other HTTP/1.1\r\n\r\n${"other".repeat(20)}`);
});

test("a writable socket does not restart the wait for the response", async () => {
  const { connection, drain } = narrow(1000);
  void runExchange(connection, ask("one"));
  const due = connection.exchange?.deadline;
  await Bun.sleep(5);

  drain();

  expect(connection.exchange?.deadline).toBe(due);
});
