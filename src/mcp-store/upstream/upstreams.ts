/** The upstream MCP servers as the endpoint uses them: which tools has one, and what does a call answer? */
import {
  type CallToolResult,
  type Client,
  type ProgressCallback,
  SERVER_INFO_META_KEY,
} from "@modelcontextprotocol/client";
import type { McpRegistryRow } from "../../db/registries.ts";
import type { StoreInstallRow } from "../../db/store-installs.ts";
import type { Deps } from "../../deps.ts";
import { createLruCache } from "../../lib/lru-cache.ts";
import { elapsedMs } from "../../lib/time/clock.ts";
import type { OpenReservation } from "../memory-reservations.ts";
import { openVault } from "../vault/vault.ts";
import { createClientPool } from "./client-pool.ts";
import { describeUpstreamError, isCredentialRejected } from "./describe-upstream-error.ts";
import { fetchToolList, type ToolList } from "./fetch-tool-list.ts";
import { type HoldReason, pinTools } from "./pin-tools.ts";
import { type CallTarget, type MissingInput, resolveTarget } from "./resolve-target.ts";
import type { UpstreamTool } from "./tool-definition.ts";

/** An instance, and the install and sign-in with which a principal uses it; a consumer has neither. */
export interface InstanceUse {
  instance: McpRegistryRow;
  install: StoreInstallRow | undefined;
  sign_in: string | undefined;
}

export interface ServerTools {
  /** Allowed ones, without those held back. */
  tools: readonly UpstreamTool[];
  /** Every name that the server told: what one is called here must not depend on who may use it. */
  names: readonly string[];
  /** Tools that an administrator must accept first, by name. */
  held: ReadonlyMap<string, HoldReason>;
  /** What is wrong or was left out, for people to read. */
  notes: readonly string[];
  missing: MissingInput | undefined;
}

export interface UpstreamToolCall {
  tool: UpstreamTool;
  args: Record<string, unknown> | undefined;
  signal: AbortSignal;
  /** Undefined: nobody asked to be told. */
  onprogress: ProgressCallback | undefined;
  /** Continue the trace of the request; none when it has no trace. */
  trace_headers: Record<string, string>;
}

export interface Upstreams {
  /** Never throws: what is wrong with one server is a note about it. */
  listTools: (used: InstanceUse) => Promise<ServerTools>;
  /** Missing: the principal must do something first. */
  call: (used: InstanceUse, call: UpstreamToolCall) => Promise<CallToolResult | MissingInput>;
  stop: () => void;
}

interface CachedToolList extends ToolList {
  held: ReadonlyMap<string, HoldReason>;
  missing: MissingInput | undefined;
  /** Of the configuration when `held` was found: an administrator may have accepted since. */
  state: string;
  until: number;
}

const FRESH_MS = 60_000;
/** A dead server is not waited for by every list. */
const FAILED_MS = 10_000;
const MAX_LISTS = 5_000;
/** Of the definitions that are shared: a server may send others with every list. */
const MAX_SHARED_CHARACTERS = 64 * 1024 * 1024;

export function openUpstreams(deps: Deps, reserveMemory: OpenReservation): Upstreams {
  const vault = openVault(deps);
  /** By the key of the target. */
  const lists = createLruCache<Promise<CachedToolList>>(MAX_LISTS);
  /** By hash: principals of one server have lists of their own, made of the same tools. */
  const shared = createLruCache<UpstreamTool>(MAX_SHARED_CHARACTERS);
  const pool = createClientPool(deps, reserveMemory, ({ key }) => lists.delete(key));

  /** Once more with a new token when the upstream refuses the one it got. */
  async function withClient<T>(
    used: InstanceUse,
    target: CallTarget,
    work: (client: Client) => Promise<T>,
  ): Promise<T | MissingInput> {
    try {
      return await pool.use(target, work);
    } catch (thrown) {
      if (target.token === undefined || !isCredentialRejected(thrown)) throw thrown;
      const again = await resolveTarget(deps, vault, used, target.token);
      return typeof again === "string" ? again : await pool.use(again, work);
    }
  }

  async function ask(used: InstanceUse, target: CallTarget): Promise<CachedToolList> {
    const { state } = deps.snapshot();
    const nothing = { ...NO_TOOLS, tools: [], notes: [], state };
    try {
      const list = await withClient(used, target, fetchToolList);
      if (typeof list === "string") return { ...nothing, missing: list, until: 0 };
      const tools = list.tools.map(kept);
      const held = await pinTools(deps, used.instance, tools);
      return { ...nothing, ...list, tools, held, until: elapsedMs() + FRESH_MS };
    } catch (thrown) {
      return { ...nothing, notes: [told(used, thrown)], until: elapsedMs() + FAILED_MS };
    }
  }

  function kept(tool: UpstreamTool): UpstreamTool {
    const known = shared.get(tool.hash);
    if (!known) shared.set(tool.hash, tool, tool.size);
    return known ?? tool;
  }

  async function listed(used: InstanceUse, target: CallTarget): Promise<CachedToolList> {
    const before = lists.get(target.key);
    const known = await before;
    if (!known || known.until <= elapsedMs()) {
      // Another call may have asked while this one waited.
      const newer = lists.get(target.key);
      if (newer && newer !== before) return await newer;
      const asked = ask(used, target);
      lists.set(target.key, asked);
      return await asked;
    }
    const { state } = deps.snapshot();
    if (known.state !== state) {
      known.held = await pinTools(deps, used.instance, known.tools);
      known.state = state;
    }
    return known;
  }

  function told({ instance }: InstanceUse, thrown: unknown): string {
    const trouble = describeUpstreamError(thrown);
    const { id, gateway_id } = instance;
    deps.log("mcp_server_failed", { level: "warn", gateway_id, instance_id: id, trouble });
    return trouble;
  }

  return {
    async listTools(used) {
      try {
        const target = await resolveTarget(deps, vault, used);
        if (typeof target === "string") return { ...NO_TOOLS, missing: target };
        const { tools, held, notes, missing } = await listed(used, target);
        const allowed = used.instance.provider_options.allowed_tools;
        const open = ({ definition: { name } }: UpstreamTool) =>
          !held.has(name) && (allowed?.includes(name) ?? true);
        const names = tools.map(({ definition }) => definition.name);
        return { tools: tools.filter(open), names, held, notes, missing };
      } catch (thrown) {
        return { ...NO_TOOLS, notes: [told(used, thrown)] };
      }
    },

    async call(used, { tool: { definition }, args, signal, onprogress, trace_headers }) {
      const target = await resolveTarget(deps, vault, used);
      if (typeof target === "string") return target;
      const { name, inputSchema } = definition;
      const timeout = deps.settings.UPSTREAM_HEADER_TIMEOUT_S * 1000;
      // Without the output's schema: what an upstream's patterns do to the event loop is not for here.
      const options = {
        toolDefinition: { name, inputSchema },
        timeout,
        signal,
        headers: trace_headers,
        ...(onprogress ? { onprogress } : {}),
      };
      const params = { name, ...(args === undefined ? {} : { arguments: args }) };
      const result = await withClient(used, target, (client) => client.callTool(params, options));
      // Clients would take it for what we say of ourselves.
      if (typeof result !== "string") delete result._meta?.[SERVER_INFO_META_KEY];
      return result;
    },

    stop: pool.stop,
  };
}

const NO_TOOLS: ServerTools = {
  tools: [],
  names: [],
  held: new Map(),
  notes: [],
  missing: undefined,
};
