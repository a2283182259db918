/** Decides what happens when a principal installs a Store server: the whole decision table, without I/O (spec 4.1). */
import type { AccessLevel } from "../../contract/store/access.ts";

/** An MCP registry with the requested code. */
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
  /** Computed for this call. */
  level: AccessLevel;
  needs_admin_setup: boolean;
  /** Every instance of the code, sorted by name. */
  instances: readonly I[];
  /** Ids of the instances that the principal has an active install of. */
  installed: readonly string[];
  /** Ids of the instances with an approval that has not expired. */
  granted: readonly string[];
  /** Open requests of the principal for the code. */
  open: readonly R[];
}

export interface InstallInput {
  /** One of `instances`; undefined when the caller names none. */
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
    /** Without an instance, one is created from the catalog first. `supersedes`: requests that are no longer needed. */
    | { outcome: "install"; supersedes: readonly R[] }
    | { outcome: "ask_reason" }
    | { outcome: "file_request" }
    /** `changes`: the members of the open request that this call changes. */
    | { outcome: "pending"; request: R; changes: RequestChanges }
  );

export type RequestChanges = Partial<Pick<OpenRequest, "instance_id" | "reason">>;

interface ResolvedInstance<I extends InstallableInstance> {
  /** undefined: no instance exists, or several could be used. */
  instance: I | undefined;
  /** The instances to choose from, when several could be used. */
  choices: readonly I[];
  /** No instance can be used until an administrator creates or enables one. */
  needs_setup: boolean;
}

export function decideInstall<I extends InstallableInstance, R extends OpenRequest>(
  facts: InstallFacts<I, R>,
  input: InstallInput,
): InstallDecision<I, R> {
  const { instance, choices } = resolveInstance(facts, input);
  const needs_setup =
    !instance &&
    choices.length === 0 &&
    // An administrator disabled the instance on purpose, so no second one is created.
    (facts.needs_admin_setup || facts.instances.length > 0);
  const resolved = { instance, choices, needs_setup };

  if (facts.level === "none") return { ...resolved, outcome: "denied" };
  if (instance && facts.installed.includes(instance.id)) {
    return { ...resolved, instance, outcome: "already_installed" };
  }
  const open = facts.open.filter((request) => covers(request, instance));
  const allowed = facts.level === "install" || facts.granted.includes(instance?.id ?? "");
  if (allowed) {
    if (choices.length > 0) return { ...resolved, outcome: "choose_instance" };
    if (needs_setup) return { ...resolved, outcome: "blocked" };
    return { ...resolved, outcome: "install", supersedes: open };
  }
  // Prefers a request for this instance over one that leaves the choice to the approver.
  const request = open.find(({ instance_id }) => instance_id === instance?.id) ?? open[0];
  if (request)
    return {
      ...resolved,
      outcome: "pending",
      request,
      changes: findRequestChanges(request, input),
    };
  return { ...resolved, outcome: input.reason === "" ? "ask_reason" : "file_request" };
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

/** Returns the named instance, else the installed one, else the only usable one. */
function resolveInstance<I extends InstallableInstance>(
  { level, instances, installed, granted }: InstallFacts<I>,
  { instance_id }: InstallInput,
): Pick<ResolvedInstance<I>, "instance" | "choices"> {
  if (instance_id !== undefined) {
    return { instance: instances.find(({ id }) => id === instance_id), choices: [] };
  }
  const enabled = instances.filter((one) => one.enabled);
  const pick = (ids: readonly string[]) => enabled.filter(({ id }) => ids.includes(id));
  const usable = level === "install" ? enabled : pick(granted);
  for (const candidates of [pick(installed), usable, enabled]) {
    if (candidates.length === 1) return { instance: candidates[0], choices: [] };
  }
  return { instance: undefined, choices: enabled };
}

/** Returns whether a request covers the instance. One without an instance covers all of them. */
const covers = (request: OpenRequest, instance: InstallableInstance | undefined): boolean =>
  !instance || request.instance_id === null || request.instance_id === instance.id;
