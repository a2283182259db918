/** Makes the installation as a configuration file says: all of it, or nothing. */
import { AppError } from "../contract/errors.ts";
import { changeConfig } from "../db/config-revision.ts";
import type { Deps } from "../deps.ts";
import type { YamlPath } from "../lib/text/read-yaml.ts";
import type { Actor } from "../route.ts";
import type { Plan, Step } from "./draft-plan.ts";
import { planConfig } from "./plan-config.ts";
import type { ConfigSource } from "./read-config-file.ts";

export interface ApplyOptions {
  actor: Actor;
  /** Deletes and revokes what the file does not list. */
  prune: boolean;
  /** Does everything and takes it back, so that what would be refused is refused now. */
  dryRun: boolean;
}

export async function applyConfig(
  deps: Deps,
  source: ConfigSource,
  { actor, prune, dryRun }: ApplyOptions,
): Promise<Plan> {
  // Most applies find nothing to do; they must not make every node compile its configuration again.
  const asked = await planConfig(deps, source, { prune });
  if (asked.steps.length === 0) return asked;
  const takeBack = new AppError("conflict", "This was a dry run.");
  let plan = asked;
  try {
    await changeConfig(deps.db, async (tx) => {
      const inside = { ...deps, db: tx };
      plan = await planConfig(inside, source, { prune });
      for (const step of plan.steps) await runStep(inside, actor, step, source);
      if (dryRun) throw takeBack;
    });
  } catch (thrown) {
    if (thrown !== takeBack) throw thrown;
  }
  return plan;
}

async function runStep(deps: Deps, actor: Actor, step: Step, source: ConfigSource): Promise<void> {
  try {
    await step.run(deps, actor);
  } catch (thrown) {
    const refused = thrown instanceof AppError && thrown.status < 500;
    if (!refused) throw thrown;
    const message = `${step.resource} ${step.name}: ${thrown.message}`;
    throw source.refusal([{ path: [...(step.at ?? []), ...pathIn(thrown.message)], message }]);
  }
}

/** Operations name the member first: `provider_options.base_url: must be https …`. */
function pathIn(message: string): YamlPath {
  const named = /^([\w-]+(?:\.[\w-]+|\[\d+\])*): /.exec(message)?.[1] ?? "";
  return [...named.matchAll(/\[(\d+)\]|[\w-]+/g)].map(([part, index]) =>
    index === undefined ? part : Number(index),
  );
}
