/** Applies an install decision, records it, and returns the next step for the caller. */
import { AppError } from "../../contract/errors.ts";
import type { AccessLevel } from "../../contract/store/access.ts";
import type { CatalogEntry } from "../../contract/store/catalog.ts";
import type { InstallReply } from "../../contract/store/installs.ts";
import { type AuditAuthor, recordChange } from "../../db/record-change.ts";
import type { McpRegistryRow } from "../../db/tables/registries.ts";
import type { StoreRequestRow } from "../../db/tables/store-requests.ts";
import type { Deps } from "../../deps.ts";
import { findFiler } from "../requests/find-filer.ts";
import {
  closeRequest,
  fileRequest,
  type InstallCaller,
  updateRequest,
} from "../requests/save-request.ts";
import type { InstallDecision } from "./decide-install.ts";
import type { InstallsOfPrincipal } from "./installs-of-principal.ts";
import { createInstance } from "./instances.ts";
import { readRequirements } from "./requirements.ts";
import { saveInstall } from "./save-install.ts";

export interface DecidedInstall extends InstallCaller {
  decision: InstallDecision<McpRegistryRow, StoreRequestRow>;
  entry: CatalogEntry;
  target: { gateway_id: string; principal_sub: string; code: string };
  existing: InstallsOfPrincipal;
  reason: string;
  groups: string[];
  /** The deciding level and rule, for the audit log. */
  why: { level: AccessLevel; rule_id: string | null };
}

export async function applyInstallDecision(
  deps: Deps,
  author: AuditAuthor,
  decided: DecidedInstall,
): Promise<InstallReply | AppError> {
  const { decision, entry, target, existing, reason, groups, why, sign_in, token_id } = decided;
  const reply = (flags: Partial<InstallReply>) => toInstallReply(entry, decision, flags);
  switch (decision.outcome) {
    case "denied":
      await recordDenial(deps, author, "deny", decided);
      return new AppError("conflict", "The principal's access level for this server is none.");
    case "blocked":
      await recordDenial(deps, author, "block", decided);
      return reply({});
    case "already_installed": {
      const { instance } = decision;
      const install = existing.installs.find(({ instance_id }) => instance_id === instance.id);
      const steps = install && (await readOpenSteps(deps, install, instance, sign_in));
      return reply({ status: "installed", already_installed: true, ...steps });
    }
    case "choose_instance":
      return reply({ requires_instance_choice: true });
    case "install": {
      const { gateway_id } = target;
      const instance = decision.instance ?? (await createInstance(deps, author, gateway_id, entry));
      const ends_at = why.level === "install" ? null : findGrantEnd(existing, instance);
      const where = { ...target, instance_id: instance.id, ends_at };
      const install = await saveInstall(deps, author, where, why);
      for (const request of decision.supersedes) {
        await closeRequest(deps, author, request, { state: "superseded" });
      }
      const steps = await readOpenSteps(deps, install, instance, sign_in);
      return reply({ status: "installed", instance_id: instance.id, ...steps });
    }
    case "ask_reason":
      return reply({ requires_reason: true });
    case "file_request": {
      const instance_id = decision.instance?.id ?? null;
      const requested_by = await findFiler(deps, token_id);
      const request = { ...target, instance_id, reason, groups, requested_by };
      await fileRequest(deps, author, request, why);
      return reply({ status: "pending_approval", pending: true });
    }
    case "pending":
      await updateRequest(deps, author, decision.request, decision.changes, decided);
      return reply({ status: "pending_approval", pending: true });
  }
}

async function recordDenial(
  deps: Deps,
  author: AuditAuthor,
  verb: "deny" | "block",
  { target, why }: DecidedInstall,
): Promise<void> {
  await recordChange(deps, author, {
    resource: "store_install",
    verb,
    id: target.code,
    gateway_id: target.gateway_id,
    before: null,
    after: { ...target, ...why },
  });
}

const findGrantEnd = ({ grants }: InstallsOfPrincipal, { id }: McpRegistryRow): string | null =>
  grants.find(({ instance_id }) => instance_id === id)?.expires_at ?? null;

async function readOpenSteps(...args: Parameters<typeof readRequirements>) {
  const { requires_auth, requires_config } = await readRequirements(...args);
  return { requires_auth, requires_config };
}

/** Sets every member, so that a typed client never reads `undefined`. */
function toInstallReply(
  { code, name }: CatalogEntry,
  { instance, choices, needs_setup }: DecidedInstall["decision"],
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
