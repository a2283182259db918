/** What a command is: words, options, and something that answers with text for people and data for programs. */
import type { Log } from "../lib/log.ts";
import type { Settings } from "../settings.ts";

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

export interface Command {
  /** One or two words: `token create`. */
  name: string;
  summary: string;
  options: Record<string, Option>;
  run: (context: Context, values: Record<string, string | boolean | undefined>) => Promise<Output>;
}
