/** Parses JSON that a person typed. */
import { AppError } from "../../contract/errors.ts";

/** Throws in the format of the server's validation errors, so that the message appears at its field. */
export function parseJson(text: string, at: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : "it cannot be parsed";
    throw new AppError("validation_failed", `${at}: must be valid JSON: ${reason}`);
  }
}

/** Returns undefined if the text is not JSON. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
