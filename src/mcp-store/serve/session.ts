/** What the answer to one MCP request rests on: who asks, what they may use, and the way to the servers. */
import type { AuditAuthor } from "../../db/record-change.ts";
import type { Deps, InternalEvaluation } from "../../deps.ts";
import type { Principal } from "../identify-principal.ts";
import type { MemoryHold } from "../memory-holds.ts";
import type { Upstreams } from "../upstream/upstreams.ts";
import type { Caller } from "./caller.ts";
import type { ToolGuard } from "./guard-tools.ts";
import type { Place } from "./surface.ts";

export interface Session {
  deps: Deps;
  upstreams: Upstreams;
  toolGuard: ToolGuard;
  caller: Caller;
  places: readonly Place[];
  /** Where clients reach this program. */
  origin: string;
  author: AuditAuthor;
  /** Counts what is held in memory until the response has been sent. */
  hold: MemoryHold;
  /** Disposed of once the response has been sent, or its client has gone. */
  afterwards: DisposableStack;
  /** Continue the client's trace in calls of servers; none when it sent no trace. */
  trace_headers: Record<string, string>;
  /** For the guard's record. */
  asked_from: Pick<InternalEvaluation, "client_address" | "user_agent">;
}

/** A session of a principal: only those have a Store. */
export type PrincipalSession = Session & { caller: { kind: "principal" } & Principal };

export const isPrincipal = (session: Session): session is PrincipalSession =>
  session.caller.kind === "principal";
