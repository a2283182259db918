/** The body of an upstream's answer, up to a size: an answer without end must not fill the memory. */
import { AppError } from "../contract/errors.ts";
import type { Bytes, Reply } from "./http/reply.ts";

/** Undefined when it is longer than `most`; what is left of it is not read. */
export async function readBytes(
  reply: Pick<Reply, "read" | "cancel">,
  most: number,
): Promise<Bytes | undefined> {
  const chunks: Bytes[] = [];
  let size = 0;
  for (let chunk = await reply.read(); chunk; chunk = await reply.read()) {
    size += chunk.length;
    if (size > most) {
      reply.cancel();
      return undefined;
    }
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}

export async function readText(reply: Reply, mostBytes: number): Promise<string> {
  const bytes = await readBytes(reply, mostBytes);
  if (bytes) return new TextDecoder().decode(bytes);
  const mib = Math.round(mostBytes / 1024 / 1024);
  throw new AppError("upstream_failed", `The upstream answered more than ${mib} MiB.`);
}
