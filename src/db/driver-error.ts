/** The border: what a database driver throws becomes an error that a caller can act on. */
import { AppError } from "../contract/errors.ts";

export async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw asAppError(thrown);
  }
}

export function asAppError(thrown: unknown): unknown {
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
    return new AppError("conflict", "Something this refers to is gone, or is still in use.", {
      cause: thrown,
    });
  }
  // Text that Postgres cannot hold, such as NUL; no schema of ours lets it through on purpose.
  if (state === "22021" || state === "22P05") {
    return new AppError("validation_failed", "A text holds a character that cannot be stored.", {
      cause: thrown,
    });
  }
  if (state === "SQLITE_FULL" || state === "53100") {
    return new AppError("unavailable", FULL, { cause: thrown });
  }
  if (isOutOfReach(state)) return new AppError("unavailable", undefined, { cause: thrown });
  return thrown;
}

/** `code` and `errno` are what Bun's two database errors carry beside the message. */
function stateOf(thrown: Error): string {
  const { code = "", errno = "" } = thrown as Error & Record<string, unknown>;
  return String(code === "ERR_POSTGRES_SERVER_ERROR" ? errno : code);
}

/** Whether Postgres runs and refuses this node: its user (28), its rights (42501) or the database's name (3D000). */
export function isRefusal(thrown: unknown): boolean {
  const { cause } = thrown instanceof AppError ? thrown : {};
  return cause instanceof Error && /^(28...|42501|3D000)$/.test(stateOf(cause));
}

/** The last column of the violated index is the one a caller chose; the ones before only scope it. */
function uniqueColumn(message: string, detail: string): string {
  const columns = /Key \(([^)]*)\)/.exec(detail)?.[1] ?? /failed: (.*)$/.exec(message)?.[1] ?? "";
  return columns.split(/, ?/).at(-1)?.replace(/^.*\./, "") || "value";
}

const FULL = "The disk of the database is full: make room, and try again.";

/**
 * Not there, too busy, or not for us: 25006 and READONLY take no writes, 25P03 has given up waiting for us, 28 is a
 * refused user, 3D000 a database that is not there, 42501 one we have no right in, 53 one without resources, 58030,
 * CORRUPT and IOERR one whose disk fails.
 */
const isOutOfReach = (state: string): boolean =>
  /^ERR_POSTGRES_(CONNECTION|IDLE_TIMEOUT|LIFETIME|TLS)|^(57P0\d|08...|25006|25P03|28...|3D000|42501|53...|58030)$|^E(CONNREFUSED|CONNRESET|PIPE|TIMEDOUT|NOTFOUND)|^Connection|^SQLITE_(BUSY|CANTOPEN|CORRUPT|IOERR|NOTADB|READONLY)/.test(
    state,
  );
