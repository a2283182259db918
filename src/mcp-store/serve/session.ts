/** What the answer to one MCP request rests on: who asks, what they may use, and the way to the servers. */
import type { AuditAuthor } from "../../db/record-change.ts";
import type { Deps, InternalEvaluation } from "../../deps.ts";
import type { MemoryReservation } from "../memory-reservations.ts";
import type { Principal } from "../principals/identify-principal.ts";
import type { Upstreams } from "../upstream/upstreams.ts";
import type { ToolGuard } from "./guard-tools.ts";
import type { McpCaller } from "./identify-mcp-caller.ts";
import type { CallerServer } from "./list-caller-servers.ts";

export interface McpSession {
  deps: Deps;
  upstreams: Upstreams;
  toolGuard: ToolGuard;
  caller: McpCaller;
  servers: readonly CallerServer[];
  /** Where clients reach this program. */
  origin: string;
  author: AuditAuthor;
  /** Counts what is held in memory until the response has been sent. */
  memory: MemoryReservation;
  /** Disposed of once the response has been sent, or its client has gone. */
  cleanup: DisposableStack;
  /** Continue the client's trace in calls of servers; none when it sent no trace. */
  trace_headers: Record<string, string>;
  /** For the guard's record. */
  client_info: Pick<InternalEvaluation, "client_address" | "user_agent">;
}

/** A session of a principal: only those have a Store. */
export type PrincipalSession = McpSession & { caller: { kind: "principal" } & Principal };

export const isPrincipal = (session: McpSession): session is PrincipalSession =>
  session.caller.kind === "principal";
