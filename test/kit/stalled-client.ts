/** A client that sends a request and does not read the response beyond its beginning. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";

export async function postAndStall(
  url: string,
  headers: Record<string, string>,
  body: string,
): Promise<Socket> {
  const { host, hostname, port, pathname } = new URL(url);
  const socket = connect(Number(port), hostname);
  const sent = {
    host,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "content-length": `${Buffer.byteLength(body)}`,
    ...headers,
  };
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}`);
  socket.write(`POST ${pathname} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body}`);
  await once(socket, "readable");
  return socket;
}
