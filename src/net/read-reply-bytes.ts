/** Reads the body of an upstream's response up to a size cap, so that an endless one cannot exhaust memory. */
import { AppError } from "../contract/errors.ts";
import { createSizeCap, type OnBytes, readAllChunks } from "../lib/streams/capped-body.ts";
import type { Bytes, Reply } from "./http/reply.ts";

/** `onBytes` enforces the cap: if it throws, the rest of the body is not read. */
export async function readReplyBytes(
  reply: Pick<Reply, "read" | "cancel">,
  onBytes: OnBytes,
): Promise<Bytes> {
  try {
    return await readAllChunks(reply.read, onBytes);
  } catch (thrown) {
    reply.cancel();
    throw thrown;
  }
}

export async function readReplyText(reply: Reply, maxBytes: number): Promise<string> {
  const tooLarge = () => {
    const mib = Math.round(maxBytes / 1024 / 1024);
    return new AppError("upstream_failed", `The response exceeds ${mib} MiB.`);
  };
  return new TextDecoder().decode(await readReplyBytes(reply, createSizeCap(maxBytes, tooLarge)));
}
