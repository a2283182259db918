/** Formats a plan for people and for programs. */
import type { Plan, PlanStep } from "../config-file/plan.ts";

const SIGN: Record<PlanStep["action"], string> = {
  create: "+",
  update: "~",
  delete: "-",
  revoke: "-",
};

/** Returns one line per step, with `+`, `~` or `-`, and one per changed member. */
export function renderPlan({ steps, left_alone }: Plan): string {
  const changed = steps.flatMap(({ action, resource, name, members }) => [
    `${SIGN[action]} ${resource.replace("_", " ")} ${name}`,
    ...members.map((member) => `    ${member.name}: ${showChange(action, member)}`),
  ]);
  const unchanged = left_alone.map(
    ({ resource, name, reason }) =>
      `  ${resource.replace("_", " ")} ${name}: ${reason}, left unchanged`,
  );
  return [...changed, ...unchanged].join("\n");
}

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

function showChange(
  action: PlanStep["action"],
  { before, after }: PlanStep["members"][number],
): string {
  return action === "create" ? showValue(after) : `${showValue(before)} → ${showValue(after)}`;
}

const showValue = (value: unknown): string =>
  value === undefined ? "(not set)" : typeof value === "string" ? value : JSON.stringify(value);
