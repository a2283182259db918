/** The text of an upstream's answer, up to a size: an answer without end must not fill the memory. */
import { AppError } from "../contract/errors.ts";
import { asUpstreamError } from "./upstream-error.ts";

export async function readText(reply: Response, mostBytes: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  try {
    // Leaving the loop early cancels the stream, and with it the connection.
    for await (const chunk of reply.body ?? []) {
      bytes += chunk.byteLength;
      if (bytes > mostBytes) {
        const mib = Math.round(mostBytes / 1024 / 1024);
        throw new AppError("upstream_failed", `The upstream answered more than ${mib} MiB.`);
      }
      text += decoder.decode(chunk, { stream: true });
    }
  } catch (thrown) {
    throw asUpstreamError(thrown);
  }
  return text + decoder.decode();
}
