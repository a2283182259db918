/** Reads a JSON body. */
import { AppError, type ErrorCode } from "../../contract/errors.ts";
import { measureJson } from "../../lib/json/measure-json.ts";
import { MAX_DEPTH } from "../../lib/json/skip-value.ts";

/** Validating takes up to 20 µs per value: a body of 900,000 invalid conditions took 19 s and 1.4 GB. */
const MAX_VALUES = 50_000;

/** `onWeight` is called with the memory that the value will take, in bytes; throws to reject the body. */
export function readJson(
  bytes: Uint8Array,
  wrong: ErrorCode,
  onWeight?: (weight: number) => void,
): unknown {
  if (bytes.length === 0) throw new AppError(wrong, "body: must be a JSON object");
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    const { weight, depth, values } = measureJson(text);
    // JSON.stringify takes seconds to reject a value that is nested deeper.
    if (depth > MAX_DEPTH) {
      throw new AppError(wrong, `body: must not be nested deeper than ${MAX_DEPTH} levels`);
    }
    if (values > MAX_VALUES) {
      throw new AppError(wrong, `body: must have at most ${MAX_VALUES} values; send it in parts`);
    }
    onWeight?.(weight);
    return JSON.parse(text);
  } catch (thrown) {
    if (thrown instanceof AppError) throw thrown;
    throw new AppError(wrong, "body: is not valid JSON");
  }
}
