/** An event that says as little as one can. */
import type { EvaluationEvent } from "../../src/contract/guard/activity.ts";

export const idOf = (number: number) => {
  const hex = (1_767_225_600_000 + number).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
};

export const eventOf = (id: string): EvaluationEvent => ({
  id,
  time: "2026-01-01T00:00:00.000Z",
  trace_id: id,
  collector_id: id,
  collector_name: "c",
  gateway_id: null,
  policy_id: null,
  policy_name: null,
  policy_version: null,
  policy_mode: null,
  consumer_id: null,
  session_id: null,
  direction: "input",
  protocol: "llm",
  application: null,
  model: null,
  tool: null,
  status: "allow",
  findings: [],
  detectors: { run: 0, skipped: 0, failed: [], uninspected: [] },
  attributes: {},
  client_address: "",
  user_agent: null,
  latency_ms: 0,
  content_storage: "full",
});
