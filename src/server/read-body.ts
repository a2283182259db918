/** Reads a body up to a limit; what does not fit is refused before it is held in memory. */
import { AppError } from "../contract/errors.ts";

export async function readBody(request: Request, limit: number): Promise<Buffer> {
  const tooLarge = () =>
    new AppError("too_large", `The body is larger than the ${limit} bytes allowed here.`);
  if (Number(request.headers.get("content-length") ?? 0) > limit) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > limit) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
