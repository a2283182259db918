/** A plan as people read it: + for what comes, ~ for what changes, - for what goes. */
import type { Plan, Step } from "../config-file/draft-plan.ts";

const SIGN: Record<Step["action"], string> = { create: "+", update: "~", delete: "-", revoke: "-" };

export function renderPlan({ steps, left_alone }: Plan): string {
  const lines = steps.flatMap(({ action, resource, name, members }) => [
    `${SIGN[action]} ${resource.replace("_", " ")} ${name}`,
    ...members.map((member) => `    ${member.name}: ${change(action, member)}`),
  ]);
  const stays = left_alone.map(
    ({ resource, name, reason }) =>
      `  ${resource.replace("_", " ")} ${name}: ${reason}, left alone`,
  );
  return [...lines, ...stays].join("\n");
}

/** The same for programs: what a step does without how it does it. */
export const planJson = ({ steps, left_alone }: Plan) => ({
  changes: steps.map(({ action, resource, name, members }) => ({
    action,
    resource,
    name,
    members: members.map(({ name: member, before = null, after = null }) => ({
      member,
      before,
      after,
    })),
  })),
  left_alone,
});

function change(action: Step["action"], { before, after }: Step["members"][number]): string {
  return action === "create" ? text(after) : `${text(before)} → ${text(after)}`;
}

const text = (value: unknown): string =>
  value === undefined ? "(not set)" : typeof value === "string" ? value : JSON.stringify(value);
