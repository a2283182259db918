/** Helpers of the tests of configuration files: apply text, and read errors and audit records. */

import { localActor } from "../../src/admin/perform.ts";
import { applyConfig } from "../../src/config-file/apply.ts";
import { readConfigFile } from "../../src/config-file/read-file.ts";
import type { Kit } from "../kit/kit.ts";

export interface Options {
  env: Record<string, string>;
  prune?: boolean;
  dryRun?: boolean;
  keepSecrets?: boolean;
}

/** Applies the text as a file called test.yaml. */
export function applyText(kit: Kit, text: string, options: Options) {
  const { prune = false, dryRun = false, keepSecrets = false, env } = options;
  const source = readConfigFile(text, { file: "test.yaml", env, keepSecrets });
  return applyConfig(kit.deps, source, { actor: localActor("test"), prune, dryRun });
}

export async function refusal(work: Promise<unknown> | (() => unknown)): Promise<string> {
  try {
    await (typeof work === "function" ? work() : work);
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
  return "not rejected";
}

/** Repeats a request until it returns the status: the server reads the changed configuration on its own. */
export async function eventually(
  status: number,
  request: () => Promise<Response>,
): Promise<number> {
  for (let tries = 0; tries < 200; tries += 1) {
    if ((await request()).status === status) return status;
    await Bun.sleep(50);
  }
  return (await request()).status;
}

export const audits = async (kit: Kit): Promise<string[]> =>
  (await kit.db.many<{ action: string }>("SELECT action FROM audit_log ORDER BY id")).map(
    ({ action }) => action,
  );
