/** The commands in the order the help lists them. */
import type { Command } from "../command.ts";
import { apply } from "./apply.ts";
import { backupCommand } from "./backup.ts";
import { doctor } from "./doctor.ts";
import { exportCommand } from "./export.ts";
import { keyCreate } from "./key-create.ts";
import { restoreCommand } from "./restore.ts";
import { secretsRotate } from "./secrets-rotate.ts";
import { startCommand } from "./start.ts";
import { tokenCreate } from "./token-create.ts";
import { version } from "./version.ts";

export const commands: readonly Command[] = [
  startCommand,
  tokenCreate,
  keyCreate,
  exportCommand,
  apply,
  doctor,
  secretsRotate,
  backupCommand,
  restoreCommand,
  version,
];
