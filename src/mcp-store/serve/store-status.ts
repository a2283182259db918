/** The tool store_status: reports installs, missing requirements, failures and open requests. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import { storeInstallTable } from "../../db/tables/store-installs.ts";
import { storeRequestTable } from "../../db/tables/store-requests.ts";
import { describeInstalls } from "../installs/describe-installs.ts";
import { buildConnectUrl } from "./connect-link.ts";
import { listOfferedTools, type OfferedTools, type WithheldTool } from "./list-offered-tools.ts";
import type { PrincipalSession } from "./session.ts";
import { textResult } from "./tool-result.ts";

export async function storeStatus(
  session: PrincipalSession,
  { code }: { code?: string | undefined },
): Promise<CallToolResult> {
  const { deps, caller, servers, origin } = session;
  const { gateway_id, principal_sub } = caller;
  const where = { gateway_id, principal_sub, ...(code === undefined ? {} : { code }) };
  const described = await describeInstalls(
    deps,
    gateway_id,
    await storeInstallTable.all(deps.db, where),
  );
  const installs = await Promise.all(
    described.map(async (install) => {
      const server = servers.find(({ instance }) => instance.id === install.instance_id);
      const offered =
        install.state === "active" && server && (await listOfferedTools(session, server));
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
  new: "New tools waiting for an administrator",
  changed: "Changed tools waiting for an administrator",
  blocked: "Tools blocked by the policy",
};

/** Counts withheld tools without their names, which are unaccepted text of the server that a model would read. */
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
  if (connect_url) return `${name}: connect it at ${connect_url}`;
  return [`${name}: ${tools} tools.`, ...notes].join(" ");
}
