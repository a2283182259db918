/** All injection signatures, and the kinds that settings can enable. */
import { SQL } from "./sql.ts";
import { SYSTEM } from "./system.ts";
import { WEB } from "./web.ts";

export const INJECTION_TYPES = [
  "sql",
  "nosql",
  "command",
  "path_traversal",
  "xss",
  "ldap",
  "xpath",
  "template",
  "header",
  "file_inclusion",
  "xml",
  "ssrf",
] as const;

export const INJECTIONS = [...SQL, ...SYSTEM, ...WEB] as const;
