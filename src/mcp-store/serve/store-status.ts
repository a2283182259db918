/** store_status: what is installed, what is missing or broken, and which requests are open. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import { storeInstallTable } from "../../db/store-installs.ts";
import { storeRequestTable } from "../../db/store-requests.ts";
import { shownInstalls } from "../list-installs.ts";
import { connectUrl } from "./connect-link.ts";
import { type OfferedTools, offeredTools, type Withheld } from "./offered-tools.ts";
import type { PrincipalSession } from "./session.ts";
import { answered } from "./tool-result.ts";

export async function storeStatus(
  session: PrincipalSession,
  { code }: { code?: string | undefined },
): Promise<CallToolResult> {
  const { deps, caller, places, origin } = session;
  const { gateway_id, principal_sub } = caller;
  const where = { gateway_id, principal_sub, ...(code === undefined ? {} : { code }) };
  const shown = await shownInstalls(deps, gateway_id, await storeInstallTable.all(deps.db, where));
  const installs = await Promise.all(
    shown.map(async (install) => {
      const place = places.find(({ instance }) => instance.id === install.instance_id);
      const offered = install.state === "active" && place && (await offeredTools(session, place));
      const { tools = [], notes = [], withheld, missing } = offered || {};
      const { name, instance_id, state, suspended_because } = install;
      return {
        code: install.code,
        name,
        instance_id,
        state,
        suspended_because,
        tools: tools.length,
        notes: [...notes, ...(withheld ? countsOf(withheld) : [])],
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

const COUNTED: Record<Withheld["reason"], string> = {
  new: "New tools that wait for an administrator",
  changed: "Changed tools that wait for an administrator",
  blocked: "Tools blocked by the policy",
};

/** Without their names: those are text of the server that nobody has accepted, and a model reads the status. */
function countsOf(withheld: OfferedTools["withheld"]): string[] {
  const counts = new Map<string, number>();
  for (const { reason } of withheld.values()) {
    counts.set(COUNTED[reason], (counts.get(COUNTED[reason]) ?? 0) + 1);
  }
  return Array.from(counts, ([text, count]) => `${text}: ${count}.`);
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
