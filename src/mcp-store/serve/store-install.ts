/** The tool store_install: installs a server and describes the next step for the model. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import { AppError } from "../../contract/errors.ts";
import type { InstallReply } from "../../contract/store/installs.ts";
import { changeStore } from "../../db/config-revision.ts";
import { storeInstallTable } from "../../db/tables/store-installs.ts";
import { installServer } from "../installs/install-server.ts";
import { buildConnectUrl } from "./connect-link.ts";
import type { PrincipalSession } from "./session.ts";
import { textResult } from "./tool-result.ts";

export async function storeInstall(
  session: PrincipalSession,
  input: { code: string; instance_id?: string | undefined; reason?: string | undefined },
): Promise<CallToolResult> {
  const { deps, caller, author, origin } = session;
  const { gateway_id, principal_sub, groups } = caller;
  const request = { ...input, principal_sub, groups: [...groups] };
  const reply = await changeStore(deps.db, (db) =>
    installServer({ ...deps, db }, author, gateway_id, request, caller),
  );
  // A rejection is returned, so that its audit record is committed.
  if (reply instanceof AppError) throw reply;
  const target = { gateway_id, principal_sub, instance_id: reply.instance_id };
  const hasOpenSteps = reply.requires_auth || reply.requires_config;
  const install = hasOpenSteps ? await storeInstallTable.find(deps.db, target) : undefined;
  const link = install ? { connect_url: buildConnectUrl(origin, install) } : {};
  return textResult(describeNextStep(reply, link.connect_url), { ...reply, ...link });
}

function describeNextStep(reply: InstallReply, connect_url: string | undefined): string {
  const { name, instance_choices } = reply;
  if (reply.requires_reason) {
    return `${name} requires approval. Ask the user why they need it, then call again with reason.`;
  }
  if (reply.requires_instance_choice) {
    const choices = instance_choices.map((one) => `${one.name} (${one.registry_id})`).join(", ");
    return `${name} has several instances: ${choices}. Ask the user which one, then call again with instance_id.`;
  }
  if (reply.pending)
    return `The request for ${name} waits for an approver. Nothing to do until it is decided.`;
  if (reply.requires_admin_setup) return `An administrator must set up ${name} first.`;
  const installed = reply.already_installed ? "is already installed" : "is installed";
  if (connect_url)
    return `${name} ${installed}, but an account or a value is missing. The user can add it in a browser: ${connect_url}`;
  return `${name} ${installed} and can be used: its tools are available in the list of tools.`;
}
