/** The commands in the order the help lists them. */
import type { Command } from "../command.ts";
import { applyCommand } from "./apply.ts";
import { backupCommand } from "./backup.ts";
import { doctorCommand } from "./doctor.ts";
import { exportCommand } from "./export.ts";
import { keyCreateCommand } from "./key-create.ts";
import { readyCommand } from "./ready.ts";
import { restoreCommand } from "./restore.ts";
import { secretsRotateCommand } from "./secrets-rotate.ts";
import { startCommand } from "./start.ts";
import { tokenCreateCommand } from "./token-create.ts";
import { versionCommand } from "./version.ts";

export const commands: readonly Command[] = [
  startCommand,
  tokenCreateCommand,
  keyCreateCommand,
  exportCommand,
  applyCommand,
  doctorCommand,
  readyCommand,
  secretsRotateCommand,
  backupCommand,
  restoreCommand,
  versionCommand,
];
