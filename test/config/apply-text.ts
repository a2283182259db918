/** What tests of configuration files share: apply a text, and see what is refused or recorded. */

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

/** The file is called test.yaml. */
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
  return "not refused";
}

/** Another process of the installation would make the change: the server hears of it by itself. */
export async function eventually(status: number, ask: () => Promise<Response>): Promise<number> {
  for (let tries = 0; tries < 200; tries += 1) {
    if ((await ask()).status === status) return status;
    await Bun.sleep(50);
  }
  return (await ask()).status;
}

export const audits = async (kit: Kit): Promise<string[]> =>
  (await kit.db.many<{ action: string }>("SELECT action FROM audit_log ORDER BY id")).map(
    ({ action }) => action,
  );
