/** Creates a collector with key and policy, and a client that checks every response. */
import { expect } from "bun:test";
import type { Action } from "../../src/contract/guard/actions.ts";
import type { Finding, Verdict } from "../../src/contract/guard/evaluate.ts";
import type { PolicyInput } from "../../src/contract/guard/policies.ts";
import type { AdminClient } from "./admin-client.ts";
import { checkVerdict, type Json } from "./check-verdict.ts";

type WithId = { id: string };
export type Draft = Partial<Omit<PolicyInput, "gates" | "input_rules" | "output_rules">> & {
  gates?: Json[];
  input_rules?: Json[];
  output_rules?: Json[];
};

let count = 0;
export const unique = (word: string): string => `${word} ${++count}`;

export const makeDetector = (
  kit: AdminClient,
  kind: string,
  settings: Json = {},
): Promise<WithId> => kit.make("/v1/detectors", { name: unique(kind), kind, settings });

export const makePolicy = (kit: AdminClient, policy: Draft): Promise<WithId> =>
  kit.make("/v1/policies", { name: unique("policy"), ...policy });

export interface TestGuard {
  collector: WithId & { collector_key: string };
  key: string;
  policy: WithId;
  /** Sends an evaluation as the collector's client and expects a verdict. */
  evaluate: (body: Json, headers?: Record<string, string>) => Promise<Verdict>;
  /** The same without any check, for what must be refused. */
  send: (body: unknown, headers?: Record<string, string>, path?: string) => Promise<Response>;
}

/** A collector whose policy is `policy`; `collector` adds members of its own. */
export async function makeGuard(
  kit: AdminClient,
  policy: Draft,
  collector: Json = {},
): Promise<TestGuard> {
  const saved = await makePolicy(kit, policy);
  const made = await kit.make<TestGuard["collector"]>("/v1/collectors", {
    name: unique("collector"),
    default_policy_id: saved.id,
    ...collector,
  });
  const { key } = await kit.make<{ key: string }>(`/v1/collectors/${made.id}/keys`, {
    name: "test",
  });
  const send: TestGuard["send"] = (body, headers = {}, path = "/v1/evaluate") =>
    kit.call("POST", path, body, { authorization: `Bearer ${key}`, ...headers });
  return {
    collector: made,
    key,
    policy: saved,
    send,
    async evaluate(body, headers) {
      const reply = await send(body, headers);
      const verdict = (await reply.json()) as Verdict;
      expect({ status: reply.status, error: (verdict as { error?: string }).error }).toEqual({
        status: 200,
        error: undefined,
      });
      expect(reply.headers.get("content-type")).toMatch(/^application\/json\b/);
      checkVerdict(verdict as unknown as Json, body);
      return verdict;
    },
  };
}

/** A policy of one rule: the detector, what to do, and on which side. */
export async function makeGuardWithRules(
  kit: AdminClient,
  kind: string,
  rule: {
    settings?: Json;
    action?: Action;
    direction?: "input" | "output";
    policy?: Draft;
    collector?: Json;
  } = {},
): Promise<TestGuard & { detector: WithId }> {
  const detector = await makeDetector(kit, kind, rule.settings);
  const rules = [{ detector_id: detector.id, action: rule.action ?? "block" }];
  const side = rule.direction === "output" ? { output_rules: rules } : { input_rules: rules };
  const guarded = await makeGuard(kit, { ...side, ...rule.policy }, rule.collector);
  return { ...guarded, detector };
}

export const typesOf = ({ findings }: { findings: readonly Finding[] }): string[] =>
  findings.map(({ signal }) => signal.type);
