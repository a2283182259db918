/** What a command is: words, options, and something that answers with text for people and data for programs. */
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
  /** Writes now, for commands that go on after their first words. */
  print: (text: string) => void;
}

export interface Output {
  text: string;
  /** What `--json` prints instead. */
  json: unknown;
  /** 0 unless the command found something wrong. */
  exit?: number;
}

/** Secrets are none: other users of the machine can read the command line. */
export const FLAG_SETTINGS = (Object.keys(Settings.shape) as SettingName[]).filter(
  (name) => !SECRET_SETTINGS.includes(name),
);

/** Where the installation is. */
export const STORAGE_SETTINGS: readonly SettingName[] = ["PORTCULLIS_DATA_DIR", "DATABASE_URL"];

export const GLOBAL_OPTIONS: Readonly<Record<string, Option>> = {
  json: { type: "boolean", summary: "Print JSON instead of text." },
  help: { type: "boolean", short: "h", summary: "Explain the command." },
};

export interface Command {
  /** One or two words: `token create`. */
  name: string;
  summary: string;
  options: Record<string, Option>;
  /** Those that make a difference to it. */
  settings: readonly SettingName[];
  run: (context: Context, values: Record<string, string | boolean | undefined>) => Promise<Output>;
}
