/** Reads a JSON body up to a limit. */
import { AppError, type ErrorCode } from "../../contract/errors.ts";
import { type BodyLimits, readBody } from "../../read-body.ts";

export async function readJson(
  request: Request,
  limits: BodyLimits,
  wrong: ErrorCode,
): Promise<unknown> {
  const bytes = await readBody(request, limits);
  if (bytes.length === 0) throw new AppError(wrong, "body: must be a JSON object");
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new AppError(wrong, "body: is not valid JSON");
  }
}
