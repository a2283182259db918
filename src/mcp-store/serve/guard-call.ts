/** Evaluates a tool call and its result before they are passed on, if the caller has a guard. */
import type { CallToolResult, ProgressCallback } from "@modelcontextprotocol/server";
import type { Approval } from "../../contract/guard/approvals.ts";
import type { Verdict } from "../../contract/guard/evaluate.ts";
import type { RegistryRow } from "../../db/tables/registries.ts";
import type { Deps } from "../../deps.ts";
import { mayContainLongInteger, parseExactJson } from "../../lib/json/parse-exact-json.ts";
import { findApprovalId } from "../../policy/find-approval-id.ts";
import { parseToolResponse } from "../upstream/parse-tool-response.ts";
import type { McpCaller } from "./identify-mcp-caller.ts";
import type { McpSession } from "./session.ts";
import { errorResult } from "./tool-result.ts";

/** A tool call to evaluate. */
export interface GuardedCall {
  /** Name of the tool at its server. */
  tool: string;
  /** Hash of the tool's definition, which an administrator accepted. */
  hash: string;
  server: GuardedServer;
  args: Record<string, unknown> | undefined;
}

/** Server of a tool, in the version that its administrators last saved. */
export type GuardedServer = Pick<RegistryRow, "id" | "name" | "version">;

type GuardOutcome<T> = { pass: T } | { refusal: CallToolResult };

export const ENVELOPE = { jsonrpc: "2.0", id: 1 } as const;

export async function guardCall(
  session: McpSession,
  call: GuardedCall,
  signal: AbortSignal,
): Promise<GuardOutcome<Record<string, unknown> | undefined>> {
  const params = { name: call.tool, arguments: call.args ?? {} };
  const payload = { ...ENVELOPE, method: "tools/call", params };
  const part: EvaluatedPart = { direction: "input", payload, parse: parseExactJson };
  const evaluate = () => evaluatePayload(session, call, part);
  let verdict = await evaluate();
  if (verdict?.status === "ask" && session.caller.guard?.on_ask === "wait") {
    const approval_id = findApprovalId(verdict.findings);
    const { trace_id } = verdict;
    if ((await waitForDecision(session, approval_id, signal)) === "denied") {
      const refusal = errorResult(`Approval ${approval_id} of this call was denied.`);
      return { refusal: { ...refusal, structuredContent: { approval_id, trace_id } } };
    }
    // Again, now with the decision: a gate that asks skips the detectors.
    verdict = await evaluate();
  }
  if (!verdict) return { pass: call.args };
  const { params: rewritten } = (verdict.transformed_payload ?? {}) as {
    params?: { arguments?: Record<string, unknown> };
  };
  return applyVerdict(verdict, call.args, rewritten?.arguments);
}

/** Returns `pending` after `wait_s`. Rejects when the client cancels the call or the server stops. */
async function waitForDecision(
  { deps, caller }: McpSession,
  approval_id: string | undefined,
  signal: AbortSignal,
): Promise<Approval["status"]> {
  if (approval_id === undefined || !caller.guard) return "pending";
  return await deps.waitForApproval(approval_id, {
    ms: caller.guard.wait_s * 1000,
    signal: AbortSignal.any([signal, deps.responseDeadline]),
  });
}

export async function guardResult(
  session: McpSession,
  call: GuardedCall,
  result: CallToolResult,
): Promise<GuardOutcome<CallToolResult>> {
  const payload = { ...ENVELOPE, result };
  const part: EvaluatedPart = { direction: "output", payload, parse: parseToolResponse };
  const verdict = await evaluatePayload(session, call, part);
  if (!verdict) return { pass: result };
  const { result: rewritten } = (verdict.transformed_payload ?? {}) as { result?: CallToolResult };
  return applyVerdict(verdict, result, rewritten);
}

/** Removes messages from progress notifications if results are evaluated, because they precede the result. */
export function guardProgress({ caller }: McpSession, notify: ProgressCallback): ProgressCallback {
  return ({ progress, total, message }) =>
    notify({
      progress,
      ...(total === undefined ? {} : { total }),
      ...(message === undefined || caller.guard?.mcp.output ? {} : { message }),
    });
}

interface EvaluatedPart {
  direction: "input" | "output";
  payload: Record<string, unknown>;
  /** Parses the rewritten payload. */
  parse: (text: string) => unknown;
}

/** Returns undefined when the caller has no guard, or the guard does not evaluate this direction. */
export async function evaluatePayload(
  { deps, caller, author, client_info }: McpSession,
  { tool, hash, server }: { tool: string | undefined; hash?: string; server: GuardedServer },
  part: EvaluatedPart,
): Promise<Verdict | undefined> {
  const { guard } = caller;
  const { payload, direction, parse } = part;
  if (!guard?.mcp[direction]) return undefined;
  const text = JSON.stringify(payload);
  const { verdict, transformed } = await deps.evaluate({
    collector_id: guard.collector_id,
    gateway_id: caller.gateway_id,
    credential_id: caller.kind === "consumer" ? caller.key_id : caller.origin_token_id,
    // Detectors read numbers, and the approval covers the text.
    payload: mayContainLongInteger(text) ? JSON.parse(text) : payload,
    text,
    is_foreign_body: true,
    recorded: true,
    on_ask: guard.on_ask,
    covered: [
      { pointer: "/request/gateway", text: describeGateway(deps, caller) },
      { pointer: "/request/server", text: describeServer(server) },
      // A tool whose definition changes may do something else with the same arguments.
      ...(hash ? [{ pointer: "/request/definition", text: `SHA-256 ${hash}` }] : []),
    ],
    request: {
      direction,
      protocol: "mcp",
      // Groups the call and its result.
      session_id: author.trace_id,
      consumer_id: policySubject(caller),
      attributes: {
        consumer: { type: caller.kind },
        source: { application: server.name },
        ...(tool === undefined ? {} : { tool: { name: tool } }),
      },
    },
    // Tools may write back what other calls returned.
    pseudonym_scopes: [`\0mcp:${caller.kind}/${caller.gateway_id}/${policySubject(caller)}`],
    trace_id: author.trace_id,
    ...client_info,
  });
  // The rewritten payload is an object as the original is.
  const rewritten = transformed === null ? null : (parse(transformed) as Record<string, unknown>);
  return { ...verdict, transformed_payload: rewritten };
}

/** Principals of different gateways may have the same id. */
const describeGateway = ({ snapshot }: Deps, { gateway_id }: McpCaller): string =>
  `${snapshot().gateways.get(gateway_id)?.name ?? ""} (${gateway_id})`;

/** Another server may get the same name, and a saved change may move this one to another address or account. */
const describeServer = ({ name, version, id }: GuardedServer): string =>
  `${name}, version ${version} (${id})`;

/** Returns the id of a caller in policies. */
export const policySubject = (caller: McpCaller): string =>
  caller.kind === "principal" ? caller.principal_sub : caller.consumer_id;

function applyVerdict<T>(verdict: Verdict, original: T, rewritten: T | undefined): GuardOutcome<T> {
  const { status, trace_id } = verdict;
  if (status === "allow" || status === "report") return { pass: original };
  // A transform verdict without a rewritten payload falls through to the refusal.
  if (status === "transform" && rewritten !== undefined) return { pass: rewritten };
  if (status === "ask") {
    const approval_id = findApprovalId(verdict.findings);
    const text = `This call requires approval ${approval_id}. Repeat the same call once it is approved.`;
    return { refusal: { ...errorResult(text), structuredContent: { approval_id, trace_id } } };
  }
  return { refusal: { ...errorResult(describeBlock(verdict)), structuredContent: { trace_id } } };
}

export function describeBlock({ findings }: Verdict): string {
  const by = findings.find(({ outcome }) => outcome.action === "block");
  const name = by?.source.gate_name ?? by?.source.detector_name;
  return `Blocked by the policy${name ? ` (${name})` : ""}.`;
}
