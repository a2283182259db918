/** Converts errors of the database drivers to `AppError`. */
import { AppError } from "../contract/errors.ts";

export async function convertErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw toAppError(thrown);
  }
}

export function toAppError(thrown: unknown): unknown {
  if (!(thrown instanceof Error) || thrown instanceof AppError) return thrown;
  const { detail = "" } = thrown as Error & Record<string, unknown>;
  const state = stateOf(thrown);
  if (state === "23505" || /SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY)/.test(state)) {
    const column = uniqueColumn(thrown.message, String(detail));
    return new AppError("already_exists", `${column}: this value is already taken.`, {
      cause: thrown,
    });
  }
  if (state === "23503" || state === "SQLITE_CONSTRAINT_FOREIGNKEY") {
    return new AppError(
      "conflict",
      "A referenced resource does not exist, or this resource is still in use.",
      {
        cause: thrown,
      },
    );
  }
  // Text that Postgres cannot store, such as NUL.
  if (state === "22021" || state === "22P05") {
    return new AppError(
      "validation_failed",
      "The text contains a character that cannot be stored.",
      {
        cause: thrown,
      },
    );
  }
  if (state === "SQLITE_FULL" || state === "53100") {
    return new AppError("unavailable", FULL, { cause: thrown });
  }
  if (isOutOfReach(state)) return new AppError("unavailable", undefined, { cause: thrown });
  return thrown;
}

/** Returns the SQL state: Bun's two database errors have `code` and `errno`. */
function stateOf(thrown: Error): string {
  const { code = "", errno = "" } = thrown as Error & Record<string, unknown>;
  return String(code === "ERR_POSTGRES_SERVER_ERROR" ? errno : code);
}

/** Reports whether Postgres rejects this node: its user (28), its rights (42501) or the database name (3D000). */
export function isAccessDenied(thrown: unknown): boolean {
  const { cause } = thrown instanceof AppError ? thrown : {};
  return cause instanceof Error && /^(28...|42501|3D000)$/.test(stateOf(cause));
}

/** Returns the last column of the violated index, which the caller set; the others are its scope. */
function uniqueColumn(message: string, detail: string): string {
  const columns = /Key \(([^)]*)\)/.exec(detail)?.[1] ?? /failed: (.*)$/.exec(message)?.[1] ?? "";
  return columns.split(/, ?/).at(-1)?.replace(/^.*\./, "") || "value";
}

const FULL = "The disk of the database is full. Free space and try again.";

/**
 * Reports whether the database is unavailable: 25006 and READONLY reject writes, 25P03 is an idle timeout, 28 a rejected
 * user, 3D000 an unknown database, 42501 missing rights, 53 missing resources; 58030, CORRUPT and IOERR are disk errors.
 */
const isOutOfReach = (state: string): boolean =>
  /^ERR_POSTGRES_(CONNECTION|IDLE_TIMEOUT|LIFETIME|TLS)|^(57P0\d|08...|25006|25P03|28...|3D000|42501|53...|58030)$|^E(CONNREFUSED|CONNRESET|PIPE|TIMEDOUT|NOTFOUND)|^Connection|^SQLITE_(BUSY|CANTOPEN|CORRUPT|IOERR|NOTADB|READONLY)/.test(
    state,
  );
