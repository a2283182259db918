/** Reads a body up to a size limit and within UPLOAD_IDLE_TIMEOUT_S. */
import { AppError } from "../contract/errors.ts";
import type { Deps } from "../deps.ts";
import { within } from "../lib/within.ts";

export async function readBody(
  { settings, bodyDeadline }: Deps,
  request: Request,
  limit: number,
): Promise<Buffer> {
  const tooLarge = () =>
    new AppError("too_large", `The body is larger than the ${limit} bytes allowed here.`);
  if (Number(request.headers.get("content-length") ?? 0) > limit) throw tooLarge();
  const gathered = async () => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of request.body ?? []) {
      size += chunk.byteLength;
      if (size > limit) throw tooLarge();
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  };
  const tooSlow = () => new AppError("request_timeout");
  return await within(gathered(), settings.UPLOAD_IDLE_TIMEOUT_S * 1000, tooSlow, bodyDeadline);
}
