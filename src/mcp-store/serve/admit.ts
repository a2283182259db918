/** May this request go on? The plugins of the gateway count calls here as they do on the data plane. */
import { userOf } from "../../contract/user-header.ts";
import type { Deps } from "../../deps.ts";
import { runPlugins } from "../../plugins/run-plugins.ts";
import type { Caller } from "./caller.ts";

export async function admit(
  deps: Deps,
  { headers }: Request,
  caller: Caller,
  { client, reply_headers }: { client: string; reply_headers: Record<string, string> },
): Promise<void> {
  const gateway = deps.snapshot().gateways.get(caller.gateway_id);
  if (!gateway || gateway.plugins.length === 0) return;
  // A principal is the user, whatever a header says.
  const who =
    caller.kind === "principal"
      ? { key_id: caller.principal_sub, user: caller.principal_sub }
      : { key_id: caller.key_id, user: userOf(headers) };
  const request = { ...who, client, headers, reply_headers };
  const refused = (plugin: string) =>
    deps.log("plugin_refused", { level: "debug", gateway_id: gateway.id, plugin });
  await runPlugins(deps, { gateway, request, refused });
}
