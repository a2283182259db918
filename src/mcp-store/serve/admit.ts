/** May this request go on? The plugins of the gateway count calls here as they do on the data plane. */
import { USER_HEADERS } from "../../contract/user-header.ts";
import type { Deps } from "../../deps.ts";
import { runPlugins } from "../../plugins/run-plugins.ts";
import type { Caller } from "./caller.ts";

export async function admit(
  deps: Deps,
  request: Request,
  caller: Caller,
  { client, headers }: { client: string; headers: Record<string, string> },
): Promise<void> {
  const gateway = deps.snapshot().gateways.get(caller.gateway_id);
  if (!gateway || gateway.plugins.length === 0) return;
  const asked = { client, ...whoIn(request, caller) };
  const refused = await runPlugins(deps, gateway, asked, headers);
  if (refused) throw refused.refusal;
}

/** A principal is the user, whatever a header says. */
function whoIn(request: Request, caller: Caller): { key_id: string; headers: Headers } {
  if (caller.kind === "consumer") return { key_id: caller.key_id, headers: request.headers };
  const { principal_sub } = caller;
  const headers = new Headers(request.headers);
  // Encoded: a header cannot hold every character that a subject can.
  headers.set(USER_HEADERS[0], encodeURIComponent(principal_sub.toWellFormed()));
  return { key_id: principal_sub, headers };
}
