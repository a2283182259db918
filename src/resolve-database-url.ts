/** Resolves the settings of the database to one URL. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { AppError } from "./contract/errors.ts";

interface StorageSettings {
  PORTCULLIS_DATA_DIR: string;
  DATABASE_URL?: string | undefined;
  DATABASE_PASSWORD_FILE?: string | undefined;
}

/** Returns the URL with the password of the file, or that of the database file in the data folder. */
export function resolveDatabaseUrl(settings: StorageSettings): string {
  const { DATABASE_URL: url, DATABASE_PASSWORD_FILE: file, PORTCULLIS_DATA_DIR } = settings;
  if (file === undefined) {
    return url ?? `sqlite:${join(resolve(PORTCULLIS_DATA_DIR), "portcullis.db")}`;
  }
  if (!url?.startsWith("postgres")) {
    const message = "DATABASE_PASSWORD_FILE: set DATABASE_URL to postgres://… as well";
    throw new AppError("bad_settings", message);
  }
  const withPassword = new URL(url);
  withPassword.password = encodeURIComponent(readPassword(file));
  return withPassword.href;
}

function readPassword(file: string): string {
  try {
    return readFileSync(file, "utf8").replace(/\r?\n$/, "");
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const message = `DATABASE_PASSWORD_FILE: ${file} cannot be read (${code}); check its path and permissions`;
    throw new AppError("bad_settings", message);
  }
}
