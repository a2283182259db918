/** Reads a JSON body. */
import { AppError, type ErrorCode } from "../../contract/errors.ts";

export function readJson(bytes: Uint8Array, wrong: ErrorCode): unknown {
  if (bytes.length === 0) throw new AppError(wrong, "body: must be a JSON object");
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new AppError(wrong, "body: is not valid JSON");
  }
}
