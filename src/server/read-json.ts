/** Reads a JSON body up to a limit; what does not fit is refused before it is held in memory. */
import { AppError, type ErrorCode } from "../contract/errors.ts";

export async function readJson(
  request: Request,
  limit: number,
  wrong: ErrorCode,
): Promise<unknown> {
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
  if (size === 0) throw new AppError(wrong, "body: must be a JSON object");
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks)));
  } catch {
    throw new AppError(wrong, "body: is not valid JSON");
  }
}
