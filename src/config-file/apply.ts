/** Makes the installation match a configuration file: completely, or not at all. */
import { AppError } from "../contract/errors.ts";
import { changeConfig } from "../db/config-revision.ts";
import type { Deps } from "../deps.ts";
import type { YamlPath } from "../lib/text/read-yaml.ts";
import type { Actor } from "../route.ts";
import type { StepContext } from "./config-resource.ts";
import { type Plan, type PlanStep, planConfig } from "./plan.ts";
import type { ConfigSource } from "./read-file.ts";

export interface ApplyOptions {
  actor: Actor;
  /** Deletes and revokes what the file does not list. */
  prune: boolean;
  /** Rolls back after the last step, so that every rejection is reported. */
  dryRun: boolean;
}

export async function applyConfig(
  deps: Deps,
  source: ConfigSource,
  { actor, prune, dryRun }: ApplyOptions,
): Promise<Plan> {
  // Most applies change nothing. They must not make every node compile its configuration again.
  let plan = await planConfig(deps, source, { prune });
  if (plan.steps.length === 0) return plan;
  const rollBack = new AppError("conflict", "Dry run.");
  try {
    await changeConfig(deps.db, async (tx) => {
      const context = { deps: { ...deps, db: tx }, actor, config: source.config };
      plan = await planConfig(context.deps, source, { prune });
      for (const step of plan.steps) await runStep(context, step, source);
      if (dryRun) throw rollBack;
    });
  } catch (thrown) {
    if (thrown !== rollBack) throw thrown;
  }
  return plan;
}

/** Adds the location in the file to an error that the step is responsible for. */
async function runStep(context: StepContext, step: PlanStep, source: ConfigSource): Promise<void> {
  try {
    await step.run(context);
  } catch (thrown) {
    if (!(thrown instanceof AppError) || thrown.status >= 500) throw thrown;
    const path = [...(step.path ?? []), ...parseMemberPath(thrown.message)];
    const message = `${step.resource} ${step.name}: ${thrown.message}`;
    throw source.toError([{ path, message }]);
  }
}

/** Operations name the member first: `provider_options.base_url: must be https …`. */
function parseMemberPath(message: string): YamlPath {
  const member = /^([\w-]+(?:\.[\w-]+|\[\d+\])*): /.exec(message)?.[1] ?? "";
  return [...member.matchAll(/\[(\d+)\]|[\w-]+/g)].map(([part, index]) =>
    index === undefined ? part : Number(index),
  );
}
