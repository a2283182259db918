/** Tests an MCP instance: connects to its server and lists the tools, without recording them. */
import { SdkHttpError } from "@modelcontextprotocol/client";
import { AppError } from "../../contract/errors.ts";
import type { InstanceReport } from "../../contract/store/instances.ts";
import { listPins, wereToolsListed } from "../../db/tables/pinned-tools.ts";
import type { McpRegistryRow } from "../../db/tables/registries.ts";
import type { Deps } from "../../deps.ts";
import { elapsedMs } from "../../lib/time/clock.ts";
import { createMemoryReservations } from "../memory-reservations.ts";
import { openVault } from "../vault/vault.ts";
import { createClientPool } from "./client-pool.ts";
import {
  describeUpstreamError,
  findRootCause,
  isCredentialRejected,
} from "./describe-upstream-error.ts";
import { fetchToolList } from "./fetch-tool-list.ts";
import { type CallTarget, fillUrl, resolveTarget } from "./resolve-target.ts";
import type { UpstreamTool } from "./tool-definition.ts";

export async function testInstanceServer(
  deps: Deps,
  instance: McpRegistryRow,
): Promise<InstanceReport> {
  const began = elapsedMs();
  const report = (
    ok: boolean,
    message: string,
    found: Pick<InstanceReport, "tools" | "notes"> = { tools: [], notes: [] },
  ): InstanceReport => ({ ok, latency_ms: Math.round(elapsedMs() - began), message, ...found });

  const values = instance.provider_options.fields.filter(({ required }) => required);
  if (values.length > 0) {
    const labels = values.map(({ label, key }) => label || key).join(", ");
    const text = `Not tested: each person enters ${labels} first. Install the server and test it with a client.`;
    return report(false, text);
  }
  const pool = createClientPool(deps, createMemoryReservations(deps.settings), () => {});
  let isPersonal = false;
  try {
    const use = { instance, install: undefined, sign_in: undefined };
    const resolved = await resolveTarget(deps, openVault(deps), use);
    isPersonal = typeof resolved === "string";
    const target = typeof resolved === "string" ? withoutAccount(instance) : resolved;
    const { tools, notes } = await pool.use(target, fetchToolList);
    const text =
      tools.length === 1 ? "The server has 1 tool." : `The server has ${tools.length} tools.`;
    return report(true, text, { tools: await describeTools(deps, instance, tools), notes });
  } catch (thrown) {
    if (isPersonal && isCredentialRejected(thrown)) {
      const text =
        "The server responds, and requires the account or key of each person. Its tools are listed after a person connects.";
      return report(true, text);
    }
    return report(false, `${describeUpstreamError(thrown)} ${suggestFix(thrown)}`.trim());
  } finally {
    pool.stop();
  }
}

/** Returns a target without the account or key of a person. */
const withoutAccount = (instance: McpRegistryRow): CallTarget => ({
  instance,
  url: fillUrl(instance, new Map()),
  headers: {},
  key: instance.id,
  token: undefined,
});

function suggestFix(thrown: unknown): string {
  const failure = findRootCause(thrown);
  const isConnectionFailure =
    failure instanceof AppError && /^upstream_(unreachable|timeout)$/.test(failure.code);
  // Other messages of this program say what to do.
  if (failure instanceof AppError && !isConnectionFailure) return "";
  if (isCredentialRejected(thrown)) return "Set the credential of this instance again.";
  if (failure instanceof SdkHttpError && failure.status === 403) {
    return "Check that the credential has the required permissions.";
  }
  return "Check that the address is the Streamable HTTP endpoint of an MCP server, and that the server runs.";
}

const MAX_DESCRIPTION_CHARACTERS = 300;

async function describeTools(
  { db }: Deps,
  { id, provider_options }: McpRegistryRow,
  tools: readonly UpstreamTool[],
): Promise<InstanceReport["tools"]> {
  const pins = new Map((await listPins(db, id)).map((pin) => [pin.name, pin.hash]));
  // The tools of the first list are accepted automatically.
  const isFirst = pins.size === 0 && !(await wereToolsListed(db, id));
  return tools.map(({ definition: { name, description = "" }, hash }) => {
    const isAllowed = provider_options.allowed_tools?.includes(name) ?? true;
    const isHeld = !isFirst && pins.get(name) !== hash;
    return {
      name,
      description: description.slice(0, MAX_DESCRIPTION_CHARACTERS),
      state: !isAllowed ? "not_allowed" : isHeld ? "held" : "offered",
    };
  });
}
