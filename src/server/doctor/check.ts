/** Input and result of a check of `portcullis doctor`. */
import { AppError } from "../../contract/errors.ts";
import { redactText } from "../../lib/redact.ts";
import type { Settings } from "../../settings.ts";

export interface Check {
  name: string;
  state: "ok" | "warn" | "fail";
  /** Finding. */
  message: string;
  /** Advice to the operator. */
  todo?: string;
}

export interface CheckContext {
  settings: Settings;
  env: Readonly<Record<string, string | undefined>>;
  now: () => Date;
}

/** Returns the reason of a failure, without secrets. */
export function describeReason(thrown: unknown): string {
  const cause = causeOf(thrown);
  return redactText(cause instanceof Error ? cause.message : String(cause));
}

/** Returns advice for a database that cannot be opened: a file, or a server. */
export function adviseOnDatabase(thrown: unknown): string {
  const cause = causeOf(thrown);
  const isFile = cause instanceof Error && (cause.name === "SQLiteError" || "syscall" in cause);
  if (
    cause instanceof Error &&
    /too many (clients|connections)|connection slots/.test(cause.message)
  )
    return "Raise max_connections of Postgres, or the limit of the user: a process uses up to 22 connections. Or end other clients.";
  return isFile
    ? "Check PORTCULLIS_DATA_DIR or DATABASE_URL, the permissions of this user on the file, and the free space of the disk."
    : "Check that it is running, and that DATABASE_URL has the right password and a user that may create tables.";
}

const causeOf = (thrown: unknown): unknown =>
  thrown instanceof AppError && thrown.cause ? thrown.cause : thrown;
