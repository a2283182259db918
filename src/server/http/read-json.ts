/** Reads a JSON body up to a limit. */
import { AppError, type ErrorCode } from "../../contract/errors.ts";
import type { Deps } from "../../deps.ts";
import { bodyLimits, readBody } from "../../read-body.ts";

export async function readJson(
  deps: Deps,
  request: Request,
  limit: number,
  wrong: ErrorCode,
): Promise<unknown> {
  const bytes = await readBody(request, bodyLimits(deps, limit));
  if (bytes.length === 0) throw new AppError(wrong, "body: must be a JSON object");
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new AppError(wrong, "body: is not valid JSON");
  }
}
