/** store_install: the install decision, with a line that a model can act on. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import { AppError } from "../../contract/errors.ts";
import type { InstallReply } from "../../contract/store-installs.ts";
import { changeStore } from "../../db/config-revision.ts";
import { storeInstallTable } from "../../db/store-installs.ts";
import { installServer } from "../installs/install-server.ts";
import { buildConnectUrl } from "./connect-link.ts";
import type { PrincipalSession } from "./session.ts";
import { textResult } from "./tool-result.ts";

export async function storeInstall(
  session: PrincipalSession,
  wish: { code: string; instance_id?: string | undefined; reason?: string | undefined },
): Promise<CallToolResult> {
  const { deps, caller, author, origin } = session;
  const { gateway_id, principal_sub, groups, sign_in } = caller;
  const asked = { ...wish, principal_sub, groups: [...groups] };
  const reply = await changeStore(deps.db, (db) =>
    installServer({ ...deps, db }, author, gateway_id, asked, sign_in),
  );
  // Returned, not thrown: a refusal that leaves a record.
  if (reply instanceof AppError) throw reply;
  const place = { gateway_id, principal_sub, instance_id: reply.instance_id };
  const todo = reply.requires_auth || reply.requires_config;
  const install = todo ? await storeInstallTable.find(deps.db, place) : undefined;
  const link = install ? { connect_url: buildConnectUrl(origin, install) } : {};
  return textResult(describeNextStep(reply, link.connect_url), { ...reply, ...link });
}

function describeNextStep(reply: InstallReply, connect_url: string | undefined): string {
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
