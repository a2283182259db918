/** Context of one MCP request: the caller, its servers, and the resources of the request. */
import type { AuditAuthor } from "../../db/record-change.ts";
import type { Deps } from "../../deps.ts";
import type { InternalEvaluation } from "../../evaluation.ts";
import type { ByteReservation } from "../../reserve-bytes.ts";
import type { Principal } from "../principals/identify-principal.ts";
import type { Upstreams } from "../upstream/upstreams.ts";
import type { CallerServers } from "./caller-servers.ts";
import type { ToolGuard } from "./guard-tools.ts";
import type { McpCaller } from "./identify-mcp-caller.ts";
import type { NameTools } from "./tool-names.ts";

export interface McpSession extends CallerServers {
  deps: Deps;
  upstreams: Upstreams;
  toolGuard: ToolGuard;
  nameTools: NameTools;
  caller: McpCaller;
  /** Public URL of this program. */
  origin: string;
  author: AuditAuthor;
  /** Memory that is in use until the response has been sent. */
  memory: ByteReservation;
  /** Runs once the response has been sent or the client has disconnected. */
  cleanup: DisposableStack;
  /** Headers that continue the client's trace in calls to servers; empty when it sent no trace. */
  trace_headers: Record<string, string>;
  /** For the events of the guard. */
  client_info: Pick<InternalEvaluation, "client_address" | "user_agent">;
}

/** A session of a principal; consumers have no Store. */
export type PrincipalSession = McpSession & { caller: { kind: "principal" } & Principal };

export const isPrincipal = (session: McpSession): session is PrincipalSession =>
  session.caller.kind === "principal";

export const serverInfoOf = ({ version }: McpSession) => ({ name: "portcullis", version });
