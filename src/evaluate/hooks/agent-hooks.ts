/** Types of the hook tables: the content of an event, and the responses by which its agent acts on a verdict. */

/** Parsed JSON of a hook. Untrusted: every member may be missing or have any type. */
export type HookBody = Readonly<Record<string, unknown>>;

export interface HookEvent {
  /** `prompt` and `call` are evaluated as input, `result` and `reply` as output. A `shell` call has a command only. */
  kind: "prompt" | "call" | "shell" | "result" | "reply";
  /** Member with the content. */
  member: string;
  /** Tool of the event. Left out: the member `tool_name`. */
  tool?: string;
  /** Rejects the action, or reports it where it cannot be undone. Left out: the agent ignores the response. */
  deny?: (reason: string, body: HookBody) => object;
  /** Opens the confirmation dialog of the agent. Left out: it has none here. */
  ask?: (reason: string) => object;
  /** Returns a response that replaces the content by JSON text; undefined if the agent cannot replace it. */
  replace?: (json: string, body: HookBody) => string | undefined;
}

/** By the name of the event. */
export type AgentHooks = ReadonlyMap<string, HookEvent>;
