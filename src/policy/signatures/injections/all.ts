/** All injection signatures, and the kinds that settings can enable. */
import { FILES } from "./files.ts";
import { SQL } from "./sql.ts";
import { SYSTEM } from "./system.ts";
import { TEMPLATE } from "./template.ts";
import { WEB } from "./web.ts";
import { XSS } from "./xss.ts";

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

export const INJECTIONS = [...SQL, ...SYSTEM, ...FILES, ...XSS, ...TEMPLATE, ...WEB] as const;
