/** Types of commands: options, input and output. */
import type { Log } from "../lib/log.ts";
import { SECRET_SETTINGS, type SettingName, Settings } from "../settings.ts";

export interface Option {
  type: "string" | "boolean";
  short?: string;
  summary: string;
}

export interface Context {
  settings: Settings;
  log: Log;
  /** Values of `${NAME}` in configuration files. */
  env: Readonly<Record<string, string | undefined>>;
  /** Prints immediately, for commands that keep running. */
  print: (text: string) => void;
  /** Writes complete lines to the log; resolves when its reader can take more. */
  writeLog: (lines: Uint8Array) => Promise<void>;
}

export interface Output {
  text: string;
  /** Printed with `--json` instead of the text. */
  json: unknown;
  /** Exit code; 0 by default. */
  exit?: number;
}

/** Settings with a flag. Secrets have none: other users of the machine can read the command line. */
export const FLAG_SETTINGS = (Object.keys(Settings.shape) as SettingName[]).filter(
  (name) => !SECRET_SETTINGS.includes(name),
);

/** Settings that locate the installation. */
export const STORAGE_SETTINGS: readonly SettingName[] = [
  "PORTCULLIS_DATA_DIR",
  "DATABASE_URL",
  "DATABASE_PASSWORD_FILE",
];

export const GLOBAL_OPTIONS: Readonly<Record<string, Option>> = {
  json: { type: "boolean", summary: "Print JSON instead of text." },
  help: { type: "boolean", short: "h", summary: "Show this help." },
};

export interface Command {
  /** One or two words: `token create`. */
  name: string;
  summary: string;
  options: Record<string, Option>;
  /** Settings that the command uses. */
  settings: readonly SettingName[];
  run: (context: Context, values: Record<string, string | boolean | undefined>) => Promise<Output>;
}
