/** Lists the tools that a server offers to a caller: those accepted and not blocked by the guard. */
import { AppError } from "../../contract/errors.ts";
import type { HoldReason } from "../upstream/pin-tools.ts";
import type { UpstreamTool } from "../upstream/tool-definition.ts";
import type { ServerTools } from "../upstream/upstreams.ts";
import type { CallerServer } from "./caller-servers.ts";
import type { McpSession } from "./session.ts";

export interface OfferedTools extends Pick<ServerTools, "names" | "missing" | "notes"> {
  /** `shown`: the definition for the client, which the guard may have rewritten. */
  tools: readonly { tool: UpstreamTool; shown: UpstreamTool["definition"] }[];
  /** Tools that cannot be used, by the name at the server. */
  withheld: ReadonlyMap<string, WithheldTool>;
}

export interface WithheldTool {
  reason: HoldReason | "blocked";
  /** Message for a caller of the tool. */
  refusal: string;
}

export async function listOfferedTools(
  session: McpSession,
  target: CallerServer,
): Promise<OfferedTools> {
  const { tools, held, ...offered } = await session.upstreams.listTools(target);
  const { name: server } = target.instance;
  try {
    const verdicts = await session.toolGuard.evaluate(session, target.instance, tools);
    const { blocked, rewritten } = verdicts;
    const withheld = new Map<string, WithheldTool>();
    for (const [name, reason] of held) {
      withheld.set(name, { reason, refusal: `${server} ${REFUSAL[reason]}` });
    }
    for (const [name, refusal] of blocked) withheld.set(name, { reason: "blocked", refusal });
    const passed = tools.filter(({ definition }) => !blocked.has(definition.name));
    return {
      ...offered,
      tools: passed.map((tool) => {
        const { definition } = tool;
        return { tool, shown: rewritten.get(definition.name) ?? definition };
      }),
      withheld,
    };
  } catch (thrown) {
    const { code, cause } = AppError.from(thrown);
    const { id, gateway_id } = target.instance;
    const error = code === "internal" ? cause : code;
    session.deps.log("tools_not_evaluated", { level: "error", gateway_id, instance_id: id, error });
    const notes = ["Its tools could not be evaluated by the guard."];
    return { tools: [], names: [], withheld: new Map(), notes, missing: offered.missing };
  }
}

const REFUSAL: Record<HoldReason, string> = {
  new: "has added this tool. An administrator must accept it first.",
  changed: "has changed this tool. An administrator must accept the change first.",
};
