/** Installs a Store server for a principal, or files the request that an approver decides (spec 4.1). */
import { AppError } from "../contract/errors.ts";
import type { CatalogEntry } from "../contract/store-catalog.ts";
import type { InstallReply, InstallRequest } from "../contract/store-installs.ts";
import { findCatalogEntry } from "../db/catalog-entries.ts";
import { rememberPrincipal } from "../db/principals.ts";
import { type Author, recordChange } from "../db/record-change.ts";
import type { McpRegistryRow } from "../db/registries.ts";
import type { Deps } from "../deps.ts";
import { decideInstall, type InstallDecision } from "./decide-install.ts";
import { type Holdings, holdingsOf } from "./holdings.ts";
import { checkNamedInstance, createInstance, instancesOf } from "./instances.ts";
import { requirementsOf } from "./requirements.ts";
import { saveInstall } from "./save-install.ts";
import { changeReason, closeRequest, expireRequests, fileRequest } from "./save-request.ts";
import { standingOf } from "./standing.ts";

/**
 * `deps.db` is a transaction that has its turn (`takeTurn`), so of two equal calls the second sees what
 * the first did. A refusal is returned: its record stays.
 */
export async function installServer(
  deps: Deps,
  author: Author,
  gateway_id: string,
  wish: InstallRequest,
): Promise<InstallReply | AppError> {
  const { principal_sub, code } = wish;
  // spec 4.1 rule 1: as it is now, whatever a token or an earlier answer said.
  const standing = await standingOf(deps, gateway_id, wish);
  const entry = await findCatalogEntry(deps.db, gateway_id, code);
  if (!entry || entry.status === "hidden") {
    throw new AppError("not_found", `The Store has no server with the code "${code}".`);
  }
  const { level, decided_by } = standing.levelFor(entry);
  // Whoever acts for the principal knows their groups: what is looked at later rests on them too.
  if (wish.groups) await rememberGroups(deps, gateway_id, wish);
  await expireRequests(deps);
  const instances = await instancesOf(deps, gateway_id, code);
  const place = { gateway_id, principal_sub, code };
  const held = await holdingsOf(deps, place, { level, instances });
  const reason = wish.reason ?? "";
  const decision = decideInstall(
    {
      level,
      needs_admin_setup: entry.needs_admin_setup,
      instances,
      installed: held.installs.map(({ instance_id }) => instance_id),
      granted: held.grants.map(({ instance_id }) => instance_id),
      open: held.open,
    },
    { instance_id: wish.instance_id, reason },
  );
  const why = { level, rule_id: decided_by?.id ?? null };
  const refused = (verb: "deny" | "block") =>
    recordChange(deps, author, {
      resource: "store_install",
      verb,
      id: code,
      gateway_id,
      before: null,
      after: { ...place, ...why },
    });

  if (decision.outcome === "denied") {
    await refused("deny");
    return new AppError("conflict", "This principal's access level for the server is none.");
  }
  if (wish.instance_id) await checkNamedInstance(deps, gateway_id, code, wish.instance_id);

  const answer = (flags: Partial<InstallReply>) => replyOf(entry, decision, flags);
  switch (decision.outcome) {
    case "already_installed": {
      const install = held.installs.find((row) => row.instance_id === decision.instance?.id);
      const instance = instances.find(({ id }) => id === decision.instance?.id);
      const todo = install && instance && (await todosOf(deps, install, instance));
      return answer({ status: "installed", already_installed: true, ...todo });
    }
    case "choose_instance":
      return answer({ requires_instance_choice: true });
    case "blocked":
      await refused("block");
      return answer({});
    case "install": {
      const known = instances.find(({ id }) => id === decision.instance?.id);
      const instance = known ?? (await createInstance(deps, author, gateway_id, entry));
      const ends_at = level === "install" ? null : endOf(held, instance);
      const place = { gateway_id, principal_sub, code, instance_id: instance.id, ends_at };
      const install = await saveInstall(deps, author, place, why);
      const idle = held.open.filter(({ id }) => decision.supersedes.some((one) => one.id === id));
      for (const row of idle) await closeRequest(deps, author, row, { state: "superseded" });
      const todo = await todosOf(deps, install, instance);
      return answer({ status: "installed", instance_id: instance.id, ...todo });
    }
    case "ask_reason":
      return answer({ requires_reason: true });
    case "file_request": {
      const instance_id = decision.instance?.id ?? null;
      const asked = { ...place, instance_id, reason, groups: [...standing.groups] };
      await fileRequest(deps, author, asked, why);
      return answer({ status: "pending_approval", pending: true });
    }
    case "pending": {
      const row = held.open.find(({ id }) => id === decision.request.id);
      if (row && decision.new_reason) await changeReason(deps, author, row, reason);
      return answer({ status: "pending_approval", pending: true });
    }
  }
}

async function rememberGroups(
  deps: Deps,
  gateway_id: string,
  { principal_sub, groups = [] }: InstallRequest,
): Promise<void> {
  const seen_at = deps.now().toISOString();
  await rememberPrincipal(deps.db, {
    id: deps.newId(),
    gateway_id,
    principal_sub,
    groups,
    seen_at,
  });
}

const endOf = ({ grants }: Holdings, { id }: McpRegistryRow): string | null =>
  grants.find(({ instance_id }) => instance_id === id)?.expires_at ?? null;

async function todosOf(...asked: Parameters<typeof requirementsOf>) {
  const { requires_auth, requires_config } = await requirementsOf(...asked);
  return { requires_auth, requires_config };
}

/** Every member is there, so that a typed client never meets `undefined`. */
function replyOf(
  { code, name }: CatalogEntry,
  { instance, choices, needs_setup }: InstallDecision,
  flags: Partial<InstallReply>,
): InstallReply {
  return {
    already_installed: false,
    code,
    instance_choices: choices.map(({ id, name }) => ({ name, registry_id: id })),
    instance_id: instance?.id ?? "",
    name,
    pending: false,
    requires_admin_setup: needs_setup,
    requires_auth: false,
    requires_config: false,
    requires_instance_choice: false,
    requires_reason: false,
    status: "not_installed",
    ...flags,
  };
}
