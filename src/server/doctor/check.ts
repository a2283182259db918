/** What one check of the doctor is given, and what it says. */
import { AppError } from "../../contract/errors.ts";
import { redactText } from "../../lib/redact.ts";
import type { Settings } from "../../settings.ts";

export interface Check {
  name: string;
  state: "ok" | "warn" | "fail";
  /** What was found. */
  message: string;
  /** What to do about it. */
  todo?: string;
}

export interface CheckContext {
  settings: Settings;
  env: Readonly<Record<string, string | undefined>>;
  now: () => Date;
}

/** What went wrong, in words that may be printed. */
export function describeReason(thrown: unknown): string {
  const cause = causeOf(thrown);
  return redactText(cause instanceof Error ? cause.message : String(cause));
}

/** What to do about a database that cannot be opened: a file, or a server. */
export function adviseOnDatabase(thrown: unknown): string {
  const cause = causeOf(thrown);
  const isFile = cause instanceof Error && (cause.name === "SQLiteError" || "syscall" in cause);
  return isFile
    ? "See that PORTCULLIS_DATA_DIR or DATABASE_URL names it, that this user may read and write there, and that the disk has room."
    : "See that it runs, and that DATABASE_URL names it with the right password and a user that may make tables there.";
}

const causeOf = (thrown: unknown): unknown =>
  thrown instanceof AppError && thrown.cause ? thrown.cause : thrown;
