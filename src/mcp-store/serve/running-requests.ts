/** Tracks running requests of 2025-era clients, so that `notifications/cancelled` can abort them. */

import { policySubject } from "./guard-call.ts";
import type { McpCaller } from "./identify-mcp-caller.ts";

export interface RunningRequests {
  /** Registers a request until `end` is called; `signal` aborts when its client cancels it or disconnects. */
  begin: (
    sender: Sender,
    message: unknown,
    disconnect: AbortSignal,
  ) => { signal: AbortSignal; end: () => void };
  /** Aborts the request that a `notifications/cancelled` message names; ignores any other message. */
  cancel: (sender: Sender, message: unknown) => void;
}

export interface Sender {
  caller: McpCaller;
  /** Clients number their requests from zero, so ids are unique only within a session. */
  session_id: string | null;
}

export function createRunningRequests(): RunningRequests {
  const running = new Map<string, AbortController>();
  return {
    begin(sender, message, disconnect) {
      const controller = new AbortController();
      const { signal } = controller;
      if (disconnect.aborted) controller.abort();
      else disconnect.addEventListener("abort", () => controller.abort());
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

/** Returns undefined for a message that cannot be canceled: without session or id, or a batch. */
function toRequestKey({ caller, session_id }: Sender, id: unknown): string | undefined {
  if (session_id === null || (typeof id !== "string" && typeof id !== "number")) return undefined;
  return JSON.stringify([caller.kind, caller.gateway_id, policySubject(caller), session_id, id]);
}

/** Returns undefined when `value` is not an object. */
export const readMember = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
