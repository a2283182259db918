/** Rejects a configured URL that could never be dialed, when it is saved. */
import { AppError } from "../contract/errors.ts";
import { classifyHost } from "./address-guard.ts";

/** `at` names the member in the error. */
export function checkUrl(text: string, at: string, allow_private: boolean): void {
  if (allow_private) return;
  const url = new URL(text);
  if (url.protocol !== "https:") {
    throw new AppError("validation_failed", `${at}: must be https unless allow_private is true`);
  }
  if (classifyHost(url.hostname) === "refused") {
    const text = `${at}: is not a public address; set allow_private to true to use it`;
    throw new AppError("validation_failed", text);
  }
}
