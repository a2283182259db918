/** portcullis apply: applies a configuration file, or shows the changes it would make. */
import { readFileSync } from "node:fs";
import { localActor } from "../../admin/perform.ts";
import { applyConfig } from "../../config-file/apply.ts";
import { readConfigFile } from "../../config-file/read-file.ts";
import { AppError } from "../../contract/errors.ts";
import { withDeps } from "../../server/open-storage.ts";
import { type Command, STORAGE_SETTINGS } from "../command.ts";
import { planJson, renderPlan } from "../show-plan.ts";

export const applyCommand: Command = {
  name: "apply",
  summary: "Apply a configuration file",
  options: {
    file: { type: "string", short: "f", summary: "The configuration file. Required." },
    "dry-run": { type: "boolean", summary: "Show the changes without making them." },
    prune: { type: "boolean", summary: "Delete and revoke resources that are not in the file." },
    "keep-secrets": {
      type: "boolean",
      summary: "Keep stored secrets whose variable is not set.",
    },
  },
  settings: STORAGE_SETTINGS,
  run: ({ settings, log, env }, values) => {
    const { file, prune = false, "dry-run": dryRun = false, "keep-secrets": keep = false } = values;
    if (typeof file !== "string")
      throw new AppError("invalid_request", "-f: is required. Set it to the configuration file.");
    const source = readConfigFile(readText(file), { file, env, keepSecrets: keep === true });
    return withDeps(settings, log, async (deps) => {
      const plan = await applyConfig(deps, source, {
        actor: localActor("portcullis apply"),
        prune: prune === true,
        dryRun: dryRun === true,
      });
      const count = plan.steps.length === 1 ? "1 change" : `${plan.steps.length} changes`;
      const outcome = dryRun ? `${count} would be made.` : `${count} made.`;
      const text = [renderPlan(plan), plan.steps.length ? outcome : "Nothing to change."];
      return {
        text: text.filter(Boolean).join("\n\n"),
        json: { dry_run: dryRun, ...planJson(plan) },
      };
    });
  },
};

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : "";
    throw new AppError("not_found", `${file}: cannot be read: ${reason}`, { cause: thrown });
  }
}
