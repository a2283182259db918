/** Requests of 2025-era clients that are running, so that `notifications/cancelled` can end them. */

import { policySubject } from "./guard-call.ts";
import type { McpCaller } from "./identify-mcp-caller.ts";

export interface RunningRequests {
  /** Registers a request until `end` is called; `signal` aborts when its client cancels it. */
  begin: (sender: Sender, message: unknown) => { signal: AbortSignal; end: () => void };
  /** Aborts the request that a `notifications/cancelled` message names; ignores any other message. */
  cancel: (sender: Sender, message: unknown) => void;
}

export interface Sender {
  caller: McpCaller;
  /** Clients count their requests from zero: without a session, a request id could be another client's. */
  session_id: string | null;
}

export function createRunningRequests(): RunningRequests {
  const running = new Map<string, AbortController>();
  return {
    begin(sender, message) {
      const controller = new AbortController();
      const { signal } = controller;
      const key = toRequestKey(sender, readMember(message, "id"));
      if (key === undefined) return { signal, end: () => {} };
      running.set(key, controller);
      const end = () => {
        if (running.get(key) === controller) running.delete(key);
      };
      return { signal, end };
    },
    cancel(sender, message) {
      if (readMember(message, "method") !== "notifications/cancelled") return;
      const key = toRequestKey(sender, readMember(readMember(message, "params"), "requestId"));
      if (key !== undefined) running.get(key)?.abort();
    },
  };
}

/** Undefined for a message that cannot be canceled: no session, no id, or a batch. */
function toRequestKey({ caller, session_id }: Sender, id: unknown): string | undefined {
  if (session_id === null || (typeof id !== "string" && typeof id !== "number")) return undefined;
  return JSON.stringify([caller.kind, caller.gateway_id, policySubject(caller), session_id, id]);
}

/** Undefined where `value` is no object. */
export const readMember = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
