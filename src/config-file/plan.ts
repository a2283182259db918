/** Plans the changes that make the installation match a configuration file. */
import type { Deps } from "../deps.ts";
import type { MemberChange } from "../lib/json/diff-values.ts";
import type { YamlPath } from "../lib/text/read-yaml.ts";
import { checkPlan } from "./check-plan.ts";
import type { ConfigResource, Params, StepContext, StoredItem } from "./config-resource.ts";
import type { ConfigSource, Problem } from "./read-file.ts";
import { loadCurrentItems, RESOURCES } from "./resources/all.ts";

export interface PlanStep {
  action: "create" | "update" | "delete" | "revoke";
  resource: string;
  /** Names of the parents and the item: `demo / OpenAI`. */
  name: string;
  /** Secrets are masked. */
  members: MemberChange[];
  /** Location in the file; undefined for an item that the file does not list. */
  path: YamlPath | undefined;
  run: (context: StepContext) => Promise<void>;
}

export interface Plan {
  steps: PlanStep[];
  /** Items that differ from the file and do not change, with the reason. */
  left_alone: { resource: string; name: string; reason: string }[];
}

/** An item of the file whose children are planned; the file itself at the top level. */
interface Node {
  /** As the file writes it, with the lists of its children. */
  members: object;
  /** undefined: not stored yet. */
  id: string | undefined;
  /** undefined until the step that creates the item has run. */
  params: Params | undefined;
  names: readonly string[];
  path: YamlPath;
}

/** Only reads. Without `prune` nothing is deleted or revoked. */
export async function planConfig(
  deps: Deps,
  source: ConfigSource,
  { prune }: { prune: boolean },
): Promise<Plan> {
  const current = await loadCurrentItems(deps);
  const problems: Problem[] = checkPlan(source.config, current, prune);
  const deletedFirst: PlanStep[] = [];
  const saved: PlanStep[] = [];
  const savedLate: PlanStep[] = [];
  const deletedLast: PlanStep[] = [];
  const left_alone: Plan["left_alone"] = [];

  function planList(resource: ConfigResource, parent: Node): void {
    const listed = listIn(parent.members, resource.list);
    if (!listed) return;
    const stored = parent.id === undefined ? [] : current.of(resource, parent.id);
    const known = new Map(stored.map((one) => [resource.identity(one.item), one]));
    const wanted = new Set(listed.map((item) => resource.identity(item)));
    for (const [identity, one] of known) {
      if (!wanted.has(identity)) planUnlisted(resource, parent, one);
    }
    for (const [index, item] of listed.entries()) {
      const path = [...parent.path, resource.list, index];
      planListed(resource, parent, { item, path, stored: known.get(resource.identity(item)) });
    }
  }

  function planUnlisted(
    resource: ConfigResource,
    parent: Node,
    { item, id, keepReason }: StoredItem<object>,
  ): void {
    const { noun, isRevocable, isDeletedFirst } = resource;
    const name = namesOf(resource, parent, item).join(" / ");
    const reason = prune ? keepReason : "not in the file";
    if (reason) {
      left_alone.push({ resource: noun, name, reason });
      return;
    }
    (isDeletedFirst ? deletedFirst : deletedLast).push({
      action: isRevocable ? "revoke" : "delete",
      resource: noun,
      name,
      members: [],
      path: undefined,
      run: (context) => resource.remove(context, { ...parent.params, [resource.id]: id }, item),
    });
  }

  function planListed(
    resource: ConfigResource,
    parent: Node,
    one: { item: object; path: YamlPath; stored: StoredItem<object> | undefined },
  ): void {
    const { noun, children = [], late } = resource;
    const { path, stored } = one;
    const names = namesOf(resource, parent, one.item);
    const name = names.join(" / ");
    // A revoked key that leaked must not work again because an old file still lists it.
    if (!stored && resource.isRevocable && current.revoked.has(resource.identity(one.item))) {
      left_alone.push({ resource: noun, name, reason: "was revoked: remove it from the file" });
      return;
    }
    const item = withoutLists(one.item, children);
    const reason = stored && resource.unchangedReason?.(stored.item, item);
    if (reason) left_alone.push({ resource: noun, name, reason });
    const params = stored && { ...parent.params, [resource.id]: stored.id };
    const node: Node = { members: one.item, id: stored?.id, params, names, path };
    const members = resource.diff(stored?.item, item, {
      path,
      keptSecrets: source.keptSecrets,
      report: (problem) => problems.push(problem),
    });
    if (!stored || members.length) {
      const action = stored ? "update" : "create";
      const run = async (context: StepContext) => {
        const id = await resource.save(context, parent.params ?? {}, item, stored?.id);
        node.params = { ...parent.params, [resource.id]: id };
      };
      saved.push({ action, resource: noun, name, members, path, run });
    }
    const lateMembers = late?.diff(stored?.item, item) ?? [];
    if (late && lateMembers.length) {
      const run = (context: StepContext) => late.save(context, node.params ?? {}, item);
      savedLate.push({ action: "update", resource: noun, name, members: lateMembers, path, run });
    }
    for (const child of children) planList(child, node);
  }

  const root: Node = { members: source.config, id: "", params: {}, names: [], path: [] };
  for (const resource of RESOURCES) planList(resource, root);
  if (problems.length) throw source.toError(problems);
  // Items refer to earlier ones, so deletions run in reverse order.
  const steps = [...deletedFirst.reverse(), ...saved, ...savedLate, ...deletedLast.reverse()];
  return { steps, left_alone };
}

const namesOf = ({ label, identity }: ConfigResource, { names }: Node, item: object) => [
  ...names,
  (label ?? identity)(item),
];

/** Returns the items of one list; undefined: the file leaves the list out. */
const listIn = (members: object, list: string): readonly object[] | undefined =>
  // The schema of the file has checked that each list of a resource holds its items.
  (members as Record<string, readonly object[] | undefined>)[list];

const withoutLists = (item: object, children: readonly ConfigResource[]): object =>
  Object.fromEntries(
    Object.entries(item).filter(([name]) => children.every(({ list }) => list !== name)),
  );
