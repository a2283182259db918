/** Fills Activity with many events of many kinds, the way the program writes them. */
import type { EvaluationEvent } from "../../src/contract/guard/activity.ts";
import type { Finding } from "../../src/contract/guard/evaluate.ts";
import { openDb } from "../../src/db/db.ts";
import {
  insertEvaluations,
  type RecordedEvaluation,
} from "../../src/db/tables/evaluation-events.ts";
import { proseOf } from "./prose.ts";

const BATCH = 200;
const idOf = (number: number, kind = 7): string => {
  const hex = number.toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-00000000000${kind}`;
};

/** Gives back filters that find something: often, rarely, and once. */
export async function fillActivity(
  database_url: string,
  count: number,
): Promise<Record<string, string>> {
  const db = await openDb(database_url, { durable: false });
  const began = Date.parse("2026-01-01T00:00:00Z");
  for (let at = 0; at < count; at += BATCH) {
    const batch = Array.from({ length: BATCH }, (_, index) => {
      const number = at + index;
      const needle = number === Math.floor(count / 2) ? "the only needle" : undefined;
      return evaluationOf(number, began, needle);
    });
    await insertEvaluations(db, batch);
  }
  await db.close();
  const middle = eventOf(Math.floor(count / 2), began);
  return {
    status: "block",
    direction: "output",
    protocol: "a2a",
    consumer_id: "user-77@example.com",
    application: "application-3",
    collector_id: middle.collector_id,
    policy_id: middle.policy_id ?? "",
    detector: idOf(1, 3),
    trace_id: middle.trace_id,
    request_id: middle.id,
    to: middle.time,
    q: "campaign sank",
  };
}

const TEXTS = Array.from({ length: 50 }, (_, index) => proseOf(800, index));

/** Returns an evaluation of 800 characters. */
export function evaluationOf(
  number: number,
  began: number,
  text = TEXTS[number % TEXTS.length] ?? "",
): RecordedEvaluation {
  const place = { pointer: "/messages/0/content", inner: null, source: "user", role: "user" };
  return { event: eventOf(number, began), content: [{ ...place, text }] };
}

export const EVENT_MS = 20;

function eventOf(number: number, began: number): EvaluationEvent {
  const time = began + number * EVENT_MS;
  const blocked = number % 50 === 0;
  return {
    id: idOf(time),
    time: new Date(time).toISOString(),
    trace_id: idOf(time).replaceAll("-", ""),
    collector_id: idOf(number % 10, 1),
    collector_name: `Collector ${number % 10}`,
    gateway_id: null,
    policy_id: idOf(number % 20, 2),
    policy_name: `Policy ${number % 20}`,
    policy_version: 1,
    policy_mode: "enforce",
    consumer_id: `user-${number % 5000}@example.com`,
    session_id: `session-${number % 100_000}`,
    direction: number % 3 === 0 ? "output" : "input",
    protocol: "llm",
    application: `application-${number % 7}`,
    model: "gpt-4o-mini",
    tool: null,
    status: blocked ? "block" : "allow",
    findings: blocked ? [finding(idOf(number % 4, 3))] : [],
    detectors: { run: 9, skipped: 0, failed: [], uninspected: [] },
    attributes: { "source.application": `application-${number % 7}` },
    client_address: "127.0.0.1",
    user_agent: "bench/1",
    latency_ms: 0.3,
    content_storage: "masked",
  };
}

const finding = (detector_id: string): Finding => ({
  source: {
    kind: "detector",
    plugin: "data_loss_prevention",
    detector_id,
    detector_name: "Personal data",
    policy_id: idOf(1, 2),
    policy_version: 1,
  },
  signal: { type: "pii", confidence: 0.9 },
  outcome: { action: "block" },
  evidence: { count: 1, labels: { email: 1 } },
});
