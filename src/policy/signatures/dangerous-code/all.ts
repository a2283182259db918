/** All signatures of dangerous code, and the languages that settings can enable. */
import { OTHER } from "./other.ts";
import { SCRIPTS } from "./scripts.ts";
import { SHELL } from "./shell.ts";

export const LANGUAGES = [
  "javascript",
  "python",
  "php",
  "sql",
  "shell",
  "html",
  "java",
  "csharp",
  "ruby",
] as const;

export const DANGEROUS_CODE = [...SCRIPTS, ...SHELL, ...OTHER] as const;
