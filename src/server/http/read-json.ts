/** Reads a JSON body. */
import { AppError, type ErrorCode } from "../../contract/errors.ts";
import { measureJson } from "../../lib/json/measure-json.ts";

/** `onWeight` is called with the memory that the value will take, in bytes; throws to reject the body. */
export function readJson(
  bytes: Uint8Array,
  wrong: ErrorCode,
  onWeight?: (weight: number) => void,
): unknown {
  if (bytes.length === 0) throw new AppError(wrong, "body: must be a JSON object");
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    onWeight?.(measureJson(text).weight);
    return JSON.parse(text);
  } catch (thrown) {
    if (thrown instanceof AppError) throw thrown;
    throw new AppError(wrong, "body: is not valid JSON");
  }
}
