/** What becomes of a wish to install a Store server? The whole decision table, without I/O (spec 4.1). */
import type { AccessLevel } from "../../contract/store-access.ts";

/** An MCP registry of the wished code. */
export interface InstallableInstance {
  id: string;
  name: string;
  enabled: boolean;
}

export interface OpenRequest {
  id: string;
  /** null: the approver chooses. */
  instance_id: string | null;
  reason: string | null;
}

export interface InstallFacts<
  I extends InstallableInstance = InstallableInstance,
  R extends OpenRequest = OpenRequest,
> {
  /** Live, at this very call. */
  level: AccessLevel;
  needs_admin_setup: boolean;
  /** Every instance of the code, sorted by name. */
  instances: readonly I[];
  /** Ids of the instances that the principal has an active install of. */
  installed: readonly string[];
  /** Ids of the instances that a live approval covers. */
  granted: readonly string[];
  /** Open requests of the principal for the code. */
  open: readonly R[];
}

export interface InstallInput {
  /** One of `instances`, when the caller names one. */
  instance_id: string | undefined;
  /** Trimmed; empty: none. */
  reason: string;
}

export type InstallDecision<
  I extends InstallableInstance = InstallableInstance,
  R extends OpenRequest = OpenRequest,
> = ResolvedInstance<I> &
  (
    | { outcome: "denied" }
    | { outcome: "already_installed"; instance: I }
    | { outcome: "choose_instance" }
    | { outcome: "blocked" }
    /** Without an instance: one is made from the catalog first. `supersedes`: requests that are now idle. */
    | { outcome: "install"; supersedes: readonly R[] }
    | { outcome: "ask_reason" }
    | { outcome: "file_request" }
    /** `changes`: what this call adds to the request that is open. */
    | { outcome: "pending"; request: R; changes: RequestChanges }
  );

export type RequestChanges = Partial<Pick<OpenRequest, "instance_id" | "reason">>;

interface ResolvedInstance<I extends InstallableInstance> {
  /** The instance that is meant; undefined while none is decided. */
  instance: I | undefined;
  /** When more than one could be meant. */
  choices: readonly I[];
  /** No instance can be used, and only an administrator can change that. */
  needs_setup: boolean;
}

export function decideInstall<I extends InstallableInstance, R extends OpenRequest>(
  facts: InstallFacts<I, R>,
  wish: InstallInput,
): InstallDecision<I, R> {
  const { instance, choices } = resolveInstance(facts, wish);
  const needs_setup =
    !instance &&
    choices.length === 0 &&
    // A disabled instance is an administrator's no: a second one is not made behind their back.
    (facts.needs_admin_setup || facts.instances.length > 0);
  const meant = { instance, choices, needs_setup };

  if (facts.level === "none") return { ...meant, outcome: "denied" };
  if (instance && facts.installed.includes(instance.id)) {
    return { ...meant, instance, outcome: "already_installed" };
  }
  const open = facts.open.filter((request) => concerns(request, instance));
  const allowed = facts.level === "install" || facts.granted.includes(instance?.id ?? "");
  if (allowed) {
    if (choices.length > 0) return { ...meant, outcome: "choose_instance" };
    if (needs_setup) return { ...meant, outcome: "blocked" };
    return { ...meant, outcome: "install", supersedes: open };
  }
  // One that names the instance, rather than one that leaves it to the approver.
  const request = open.find(({ instance_id }) => instance_id === instance?.id) ?? open[0];
  if (request)
    return { ...meant, outcome: "pending", request, changes: findRequestChanges(request, wish) };
  return { ...meant, outcome: wish.reason === "" ? "ask_reason" : "file_request" };
}

function findRequestChanges(
  request: OpenRequest,
  { instance_id, reason }: InstallInput,
): RequestChanges {
  return {
    ...(reason === "" || reason === request.reason ? {} : { reason }),
    ...(instance_id === undefined || request.instance_id !== null ? {} : { instance_id }),
  };
}

/** The one that is named; else the one that is installed; else the only one that can be used. */
function resolveInstance<I extends InstallableInstance>(
  { level, instances, installed, granted }: InstallFacts<I>,
  { instance_id }: InstallInput,
): Pick<ResolvedInstance<I>, "instance" | "choices"> {
  if (instance_id !== undefined) {
    return { instance: instances.find(({ id }) => id === instance_id), choices: [] };
  }
  const enabled = instances.filter((one) => one.enabled);
  const within = (ids: readonly string[]) => enabled.filter(({ id }) => ids.includes(id));
  const usable = level === "install" ? enabled : within(granted);
  for (const candidates of [within(installed), usable, enabled]) {
    if (candidates.length === 1) return { instance: candidates[0], choices: [] };
  }
  return { instance: undefined, choices: enabled };
}

/** A request that leaves the instance open speaks of each; without an instance, each speaks of it. */
const concerns = (request: OpenRequest, instance: InstallableInstance | undefined): boolean =>
  !instance || request.instance_id === null || request.instance_id === instance.id;
