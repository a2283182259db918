/** What the Store's tools do, told to a model: a line it can act on, and the facts beside it. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import { AppError } from "../../contract/errors.ts";
import type { InstallReply } from "../../contract/store-installs.ts";
import { catalogEntries } from "../../db/catalog-entries.ts";
import { takeTurn } from "../../db/config-revision.ts";
import { storeInstallTable } from "../../db/store-installs.ts";
import { storeRequestTable } from "../../db/store-requests.ts";
import { installServer } from "../install-server.ts";
import { shownInstalls } from "../list-installs.ts";
import { dropInstall } from "../save-install.ts";
import { storeView } from "../store-view.ts";
import { connectUrl } from "./connect-link.ts";
import type { PrincipalSession } from "./session.ts";
import { answered } from "./tool-result.ts";

const MOST_FOUND = 50;

export async function searchTool(
  { deps, caller }: PrincipalSession,
  { query, category }: { query: string; category?: string | undefined },
): Promise<CallToolResult> {
  const words = query.toLowerCase().split(/\s+/);
  const view = await storeView(deps, caller.gateway_id, caller);
  const found = (await catalogEntries(deps.db, caller.gateway_id))
    .filter((entry) => entry.status === "shown" && (category ?? entry.category) === entry.category)
    .map(({ code, name, vendor, category, description, ...entry }) => ({
      code,
      name,
      vendor,
      category,
      description,
      ...view({ code, name, vendor, category, description, ...entry }),
    }))
    .filter(({ level, ...entry }) => {
      const text = Object.values(entry).join(" ").toLowerCase();
      return level !== "none" && words.every((word) => text.includes(word));
    });
  const items = found.slice(0, MOST_FOUND);
  const lines = items.map(
    ({ code, name, description, install_status }) =>
      `${code}: ${name}. ${description} (${install_status})`,
  );
  const more =
    found.length > items.length ? `\n${found.length - items.length} more: say more.` : "";
  const text = items.length > 0 ? lines.join("\n") + more : "The Store has no such server.";
  return answered(text, { items, more: found.length - items.length });
}

export async function installTool(
  session: PrincipalSession,
  wish: { code: string; instance_id?: string | undefined; reason?: string | undefined },
): Promise<CallToolResult> {
  const { deps, caller, author, origin, changed } = session;
  const { gateway_id, principal_sub, groups } = caller;
  const asked = { ...wish, principal_sub, groups: [...groups] };
  const reply = await takeTurn(deps.db, (db) =>
    installServer({ ...deps, db }, author, gateway_id, asked),
  );
  // Returned, not thrown: a refusal that leaves a record.
  if (reply instanceof AppError) throw reply;
  changed();
  const place = { gateway_id, principal_sub, instance_id: reply.instance_id };
  const todo = reply.requires_auth || reply.requires_config;
  const install = todo ? await storeInstallTable.find(deps.db, place) : undefined;
  const link = install ? { connect_url: connectUrl(origin, install) } : {};
  return answered(nextStep(reply, link.connect_url), { ...reply, ...link });
}

function nextStep(reply: InstallReply, connect_url: string | undefined): string {
  const { name, instance_choices } = reply;
  if (reply.requires_reason) {
    return `An approver must allow ${name}. Ask the user why they need it, then call again with reason.`;
  }
  if (reply.requires_instance_choice) {
    const choices = instance_choices.map((one) => `${one.name} (${one.registry_id})`).join(", ");
    return `There are several: ${choices}. Ask the user which, then call again with instance_id.`;
  }
  if (reply.pending) return `An approver was asked for ${name}. Nothing to do until they decide.`;
  if (reply.requires_admin_setup) return `An administrator must set up ${name} first.`;
  const installed = reply.already_installed ? "is installed already" : "is installed";
  if (connect_url) return `${name} ${installed}. Ask the user to open ${connect_url} to finish.`;
  return `${name} ${installed}. List the tools again to see what it offers.`;
}

export async function statusTool(
  { deps, caller, places, upstreams, origin }: PrincipalSession,
  { code }: { code?: string | undefined },
): Promise<CallToolResult> {
  const { gateway_id, principal_sub } = caller;
  const where = { gateway_id, principal_sub, ...(code === undefined ? {} : { code }) };
  const shown = await shownInstalls(deps, gateway_id, await storeInstallTable.all(deps.db, where));
  const installs = await Promise.all(
    shown.map(async (install) => {
      const place = places.find(({ instance }) => instance.id === install.instance_id);
      const offered = install.state === "active" && place && (await upstreams.offered(place));
      const { tools = [], notes = [], held = new Set<string>(), missing } = offered || {};
      const waiting = [...held].map((name) => `"${name}" changed and waits for an administrator.`);
      const { name, instance_id, state, suspended_because } = install;
      return {
        code: install.code,
        name,
        instance_id,
        state,
        suspended_because,
        tools: tools.length,
        notes: [...notes, ...waiting],
        requires_auth: missing === "auth",
        requires_config: missing === "config",
        ...(missing ? { connect_url: connectUrl(origin, install) } : {}),
      };
    }),
  );
  const open = await storeRequestTable.all(deps.db, { ...where, state: "pending" });
  const requests = open.map(({ id, code, created_at, expires_at }) => ({
    id,
    code,
    created_at,
    expires_at,
  }));
  const lines = [...installs.map(statusLine), ...requests.map((one) => `${one.code}: requested.`)];
  return answered(lines.join("\n") || "Nothing is installed.", { installs, requests });
}

interface Told {
  name: string;
  state: string;
  suspended_because: string | null;
  tools: number;
  notes: string[];
  connect_url?: string;
}

function statusLine({ name, suspended_because, tools, notes, connect_url }: Told): string {
  if (suspended_because) return `${name}: suspended (${suspended_because}).`;
  if (connect_url) return `${name}: to be connected at ${connect_url}`;
  return [`${name}: ${tools} tools.`, ...notes].join(" ");
}

export async function uninstallTool(
  { deps, caller, author, changed }: PrincipalSession,
  { code, instance_id }: { code: string; instance_id?: string | undefined },
): Promise<CallToolResult> {
  const { gateway_id, principal_sub } = caller;
  const named = instance_id === undefined ? {} : { instance_id };
  const where = { gateway_id, principal_sub, code, ...named };
  const removed = await takeTurn(deps.db, async (db) => {
    const [install, ...others] = await storeInstallTable.all(db, where);
    if (!install) throw new AppError("not_found", `"${code}" is not installed.`);
    if (others.length > 0) {
      const ids = [install, ...others].map((one) => one.instance_id).join(", ");
      throw new AppError("validation_failed", `instance_id: say which one: ${ids}`);
    }
    await dropInstall({ ...deps, db }, author, install);
    return install;
  });
  changed();
  return answered(`${code} is removed.`, { code, instance_id: removed.instance_id });
}
