/** Lists and calls the tools of upstream MCP servers. */
import type { CallToolResult } from "@modelcontextprotocol/client";
import type { McpRegistryRow } from "../../db/tables/registries.ts";
import type { StoreInstallRow } from "../../db/tables/store-installs.ts";
import type { Deps } from "../../deps.ts";
import { createLruCache } from "../../lib/lru-cache.ts";
import { elapsedMs } from "../../lib/time/clock.ts";
import type { OpenReservation } from "../memory-reservations.ts";
import { openVault } from "../vault/vault.ts";
import { callUpstreamTool, type UpstreamToolCall } from "./call-upstream-tool.ts";
import { createClientPool, type UpstreamConnection } from "./client-pool.ts";
import { describeUpstreamError, isCredentialRejected } from "./describe-upstream-error.ts";
import { fetchToolList } from "./fetch-tool-list.ts";
import { type HoldReason, pinTools } from "./pin-tools.ts";
import { type CallTarget, type MissingInput, resolveTarget } from "./resolve-target.ts";
import type { UpstreamTool } from "./tool-definition.ts";

/** An instance with the install and sign-in of the principal who uses it; undefined for a consumer. */
export interface InstanceUse {
  instance: McpRegistryRow;
  install: StoreInstallRow | undefined;
  sign_in: string | undefined;
}

export interface ServerTools {
  /** Allowed tools, without those held back. */
  tools: readonly UpstreamTool[];
  /** Names of all tools of the server: exposed names must not depend on the caller's permissions. */
  names: readonly string[];
  /** Tools that an administrator must accept first, by name. */
  held: ReadonlyMap<string, HoldReason>;
  /** Describes failures and omitted tools. */
  notes: readonly string[];
  missing: MissingInput | undefined;
}

export interface Upstreams {
  /** Never throws: a failure becomes a note. */
  listTools: (use: InstanceUse) => Promise<ServerTools>;
  /** Returns what is missing when the principal must provide something first. */
  call: (use: InstanceUse, call: UpstreamToolCall) => Promise<CallToolResult | MissingInput>;
  stop: () => void;
}

/** Tools of a server, which most of its principals have in common. */
interface ToolSet extends Pick<ServerTools, "tools" | "names" | "held"> {
  /** State of the configuration for which `held` was computed. */
  state: string;
}

interface CachedToolList extends Pick<ServerTools, "notes" | "missing"> {
  /** Key of the tool set; undefined: none. */
  set_key: string | undefined;
  until: number;
}

const FRESH_MS = 60_000;
/** After a failure, the server is not requested for this time. */
const FAILED_MS = 10_000;
const MAX_LISTS = 5_000;
/** Limit for all tool sets: a server can send a different one to every principal. */
const MAX_SET_BYTES = 128 * 1024 * 1024;

export function openUpstreams(deps: Deps, reserveMemory: OpenReservation): Upstreams {
  const vault = openVault(deps);
  /** By target key. */
  const lists = createLruCache<Promise<CachedToolList>>(MAX_LISTS);
  /** By instance and content. */
  const sets = createLruCache<ToolSet>(MAX_SET_BYTES);
  const pool = createClientPool(deps, reserveMemory, ({ key }) => lists.delete(key));

  /** Retries once with a new token when the upstream rejects the credential. */
  async function withClient<T>(
    use: InstanceUse,
    target: CallTarget,
    work: (connection: UpstreamConnection) => Promise<T>,
  ): Promise<T | MissingInput> {
    try {
      return await pool.use(target, work);
    } catch (thrown) {
      if (target.token === undefined || !isCredentialRejected(thrown)) throw thrown;
      const again = await resolveTarget(deps, vault, use, target.token);
      return typeof again === "string" ? again : await pool.use(again, work);
    }
  }

  async function fetchList(use: InstanceUse, target: CallTarget): Promise<CachedToolList> {
    const none = { set_key: undefined, notes: [], missing: undefined };
    try {
      const list = await withClient(use, target, fetchToolList);
      if (typeof list === "string") return { ...none, missing: list, until: 0 };
      const set_key = await saveSet(use.instance, list.tools);
      return { ...none, set_key, notes: list.notes, until: elapsedMs() + FRESH_MS };
    } catch (thrown) {
      return { ...none, notes: [logFailure(use, thrown)], until: elapsedMs() + FAILED_MS };
    }
  }

  /** Pins the tools, and caches them as a set. Returns its key. */
  async function saveSet(
    instance: McpRegistryRow,
    tools: readonly UpstreamTool[],
  ): Promise<string> {
    const { state } = deps.snapshot();
    const held = await pinTools(deps, instance, tools);
    const names = tools.map(({ definition }) => definition.name);
    const hash = Bun.SHA256.hash(tools.map((tool) => tool.hash).join(), "hex");
    const key = `${instance.id} ${hash}`;
    const bytes = tools.reduce((sum, tool) => sum + tool.bytes, 0);
    sets.set(key, { tools, names, held, state }, bytes);
    return key;
  }

  /** Returns undefined for a set that was evicted from the cache. */
  const findSet = ({ set_key }: CachedToolList): ToolSet | undefined =>
    set_key === undefined ? { ...NO_TOOLS, state: deps.snapshot().state } : sets.get(set_key);

  async function getList(use: InstanceUse, target: CallTarget): Promise<ServerTools> {
    const before = lists.get(target.key);
    const known = await before;
    const set = known && findSet(known);
    if (!set || known.until <= elapsedMs()) {
      // Another call may have started a fetch while this one waited.
      const newer = lists.get(target.key);
      const fetching = newer && newer !== before ? newer : fetchList(use, target);
      lists.set(target.key, fetching);
      const list = await fetching;
      return { ...NO_TOOLS, ...findSet(list), ...list };
    }
    const { state } = deps.snapshot();
    if (set.state !== state) {
      set.held = await pinTools(deps, use.instance, set.tools);
      set.state = state;
    }
    return { ...set, ...known };
  }

  function logFailure({ instance }: InstanceUse, thrown: unknown): string {
    const reason = describeUpstreamError(thrown);
    const { id, gateway_id } = instance;
    deps.log("mcp_server_failed", { level: "warn", gateway_id, instance_id: id, reason });
    return reason;
  }

  return {
    async listTools(use) {
      try {
        const target = await resolveTarget(deps, vault, use);
        if (typeof target === "string") return { ...NO_TOOLS, missing: target };
        const { tools, names, held, notes, missing } = await getList(use, target);
        const allowed = use.instance.provider_options.allowed_tools;
        const isOffered = ({ definition: { name } }: UpstreamTool) =>
          !held.has(name) && (allowed?.includes(name) ?? true);
        return { tools: tools.filter(isOffered), names, held, notes, missing };
      } catch (thrown) {
        return { ...NO_TOOLS, notes: [logFailure(use, thrown)] };
      }
    },

    async call(use, call) {
      const target = await resolveTarget(deps, vault, use);
      if (typeof target === "string") return target;
      const timeout = deps.settings.UPSTREAM_HEADER_TIMEOUT_S * 1000;
      return await withClient(use, target, (connection) =>
        callUpstreamTool(connection, call, timeout),
      );
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
