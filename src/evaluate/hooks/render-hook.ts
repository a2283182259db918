/** Renders a verdict in the format of the agent whose hook was evaluated. */
import { AppError } from "../../contract/errors.ts";
import { HOOK_AGENTS } from "../../contract/guard/hook-agents.ts";
import type { Evaluation } from "../../evaluation.ts";
import { readMemberTexts } from "../../lib/json/source-text.ts";
import { describeApproval, describeFindings } from "../describe-findings.ts";
import type { HookEvent } from "./agent-hooks.ts";
import { findHookEvent, type ReceivedHook } from "./all.ts";
import { REPLACEABLE } from "./read-hook.ts";

/** Empty response: the settings of the agent and its user decide. */
const PASS = "{}";

export function renderHook(hook: ReceivedHook, { verdict, transformed }: Evaluation): string {
  const event = findHookEvent(hook);
  const { status, trace_id } = verdict;
  if (!event?.deny || status === "allow" || status === "report") return PASS;
  const reasons = describeFindings(verdict);
  const reject = (reason: string) => renderDenial(hook, `${reason} Trace ${trace_id}.`);
  switch (status) {
    case "transform":
      if (transformed === null) return PASS;
      return (
        replaceContent(hook, event, transformed) ??
        reject(
          `Contains text that must be masked, which ${HOOK_AGENTS[hook.agent]} cannot do here: ${reasons}. Remove it and try again.`,
        )
      );
    case "ask":
      if (!event.ask) return reject(describeApproval(verdict));
      return JSON.stringify(
        event.ask(`Confirmation required by policy: ${reasons}. Trace ${trace_id}.`),
      );
    case "block":
      return reject(`Blocked by policy: ${reasons}.`);
  }
}

function replaceContent(
  { body }: ReceivedHook,
  { kind, replace }: HookEvent,
  transformed: string,
): string | undefined {
  const content = readMemberTexts(transformed, 0).get(REPLACEABLE[kind] ?? "");
  return content === undefined ? undefined : replace?.(content, body);
}

/** Renders the failure of a fail-closed collector as a denial, because agents ignore failed hooks. Throws other errors. */
export function renderHookFailure(hook: ReceivedHook, thrown: unknown): string {
  const { code, message } = AppError.from(thrown);
  if (code !== "detector_failed" && code !== "activity_failed") throw thrown;
  return renderDenial(hook, message);
}

const renderDenial = (hook: ReceivedHook, reason: string): string =>
  JSON.stringify(findHookEvent(hook)?.deny?.(reason, hook.body) ?? {});
