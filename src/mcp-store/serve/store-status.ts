/** store_status: what is installed, what is missing or broken, and which requests are open. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import { storeInstallTable } from "../../db/store-installs.ts";
import { storeRequestTable } from "../../db/store-requests.ts";
import { describeInstalls } from "../installs/describe-installs.ts";
import { buildConnectUrl } from "./connect-link.ts";
import { listOfferedTools, type OfferedTools, type WithheldTool } from "./list-offered-tools.ts";
import type { PrincipalSession } from "./session.ts";
import { textResult } from "./tool-result.ts";

export async function storeStatus(
  session: PrincipalSession,
  { code }: { code?: string | undefined },
): Promise<CallToolResult> {
  const { deps, caller, servers: places, origin } = session;
  const { gateway_id, principal_sub } = caller;
  const where = { gateway_id, principal_sub, ...(code === undefined ? {} : { code }) };
  const shown = await describeInstalls(
    deps,
    gateway_id,
    await storeInstallTable.all(deps.db, where),
  );
  const installs = await Promise.all(
    shown.map(async (install) => {
      const place = places.find(({ instance }) => instance.id === install.instance_id);
      const offered =
        install.state === "active" && place && (await listOfferedTools(session, place));
      const { tools = [], notes = [], withheld, missing } = offered || {};
      const { name, instance_id, state, suspended_because } = install;
      return {
        code: install.code,
        name,
        instance_id,
        state,
        suspended_because,
        tools: tools.length,
        notes: [...notes, ...(withheld ? countWithheld(withheld) : [])],
        requires_auth: missing === "auth",
        requires_config: missing === "config",
        ...(missing ? { connect_url: buildConnectUrl(origin, install) } : {}),
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
  const lines = [
    ...installs.map(formatStatus),
    ...requests.map((one) => `${one.code}: requested.`),
  ];
  return textResult(lines.join("\n") || "Nothing is installed.", { installs, requests });
}

const WITHHELD_LABEL: Record<WithheldTool["reason"], string> = {
  new: "New tools that wait for an administrator",
  changed: "Changed tools that wait for an administrator",
  blocked: "Tools blocked by the policy",
};

/** Without their names: those are text of the server that nobody has accepted, and a model reads the status. */
function countWithheld(withheld: OfferedTools["withheld"]): string[] {
  const counts = new Map<string, number>();
  for (const { reason } of withheld.values()) {
    counts.set(WITHHELD_LABEL[reason], (counts.get(WITHHELD_LABEL[reason]) ?? 0) + 1);
  }
  return Array.from(counts, ([text, count]) => `${text}: ${count}.`);
}

interface InstallStatus {
  name: string;
  state: string;
  suspended_because: string | null;
  tools: number;
  notes: string[];
  connect_url?: string;
}

function formatStatus({
  name,
  suspended_because,
  tools,
  notes,
  connect_url,
}: InstallStatus): string {
  if (suspended_because) return `${name}: suspended (${suspended_because}).`;
  if (connect_url) return `${name}: to be connected at ${connect_url}`;
  return [`${name}: ${tools} tools.`, ...notes].join(" ");
}
