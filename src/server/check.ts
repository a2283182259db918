/** What one check of the doctor is given, and what it says. */
import { AppError } from "../contract/errors.ts";
import { redactText } from "../lib/redact.ts";
import type { Settings } from "../settings.ts";

export interface Check {
  name: string;
  state: "ok" | "warn" | "fail";
  /** What was found. */
  message: string;
  /** What to do about it. */
  todo?: string;
}

export interface Patient {
  settings: Settings;
  env: Readonly<Record<string, string | undefined>>;
  now: () => Date;
}

/** What went wrong, in words that may be printed. */
export function reasonOf(thrown: unknown): string {
  const deepest = thrown instanceof AppError && thrown.cause ? thrown.cause : thrown;
  return redactText(deepest instanceof Error ? deepest.message : String(deepest));
}
