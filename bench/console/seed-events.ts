/** Fills a database with requests and evaluations of the last week, and with their counts for charts. */
import type { RequestEvent } from "../../src/contract/gateway/requests.ts";
import type { EvaluationEvent } from "../../src/contract/guard/activity.ts";
import type { Db } from "../../src/db/db.ts";
import { insertEvaluations } from "../../src/db/tables/evaluation-events.ts";
import { insertRequestEvents } from "../../src/db/tables/request-events.ts";
import { writeTraffic } from "../../src/server/writers/write-traffic.ts";
import { type Random, seeded } from "../../test/kit/random.ts";

/** Ids that the events refer to. */
export interface SeededIds {
  gateway_id: string;
  consumer_ids: readonly string[];
  registry_ids: readonly string[];
  collector_id: string;
  policy_id: string;
  detector_id: string;
}

const WEEK_MS = 7 * 86_400_000;
const ROWS_PER_STATEMENT = 256;
const ROWS_PER_TRANSACTION = 16 * ROWS_PER_STATEMENT;

export async function seedEvents(db: Db, ids: SeededIds, count: number): Promise<void> {
  const random = seeded(19);
  const traffic = writeTraffic(db, () => {});
  const end = Date.now();
  for (let done = 0; done < count; done += ROWS_PER_TRANSACTION) {
    const times = Array.from(
      { length: Math.min(ROWS_PER_TRANSACTION, count - done) },
      (_, index) => end - WEEK_MS + Math.floor(((done + index) / count) * WEEK_MS),
    );
    const requests = times.map((time) => makeRequest(ids, time, random));
    const evaluations = times.map((time) => makeEvaluation(ids, time, random));
    await db.transaction(async (tx) => {
      for (let at = 0; at < times.length; at += ROWS_PER_STATEMENT) {
        await insertRequestEvents(tx, requests.slice(at, at + ROWS_PER_STATEMENT));
        const some = evaluations.slice(at, at + ROWS_PER_STATEMENT);
        await insertEvaluations(
          tx,
          some.map((event) => ({ event, content: null })),
        );
      }
    });
    for (const event of requests) traffic.countRequest(event);
    for (const event of evaluations) traffic.countEvaluation(event);
    await traffic.written();
  }
  await traffic.stop();
}

const STATUSES = [200, 200, 200, 200, 200, 200, 200, 200, 429, 502];
const MODELS = ["gpt-5", "gpt-5-mini", "claude-sonnet-5", "gemini-3-pro", "mistral-large"];
const VERDICTS = ["allow", "allow", "allow", "allow", "allow", "allow", "report", "block"] as const;

function makeRequest(ids: SeededIds, time: number, { pick, next, below }: Random): RequestEvent {
  const id = Bun.randomUUIDv7("hex", time);
  const status = pick(STATUSES);
  const registry_id = status === 429 ? null : pick(ids.registry_ids);
  const model = pick(MODELS);
  return {
    id,
    time: new Date(time).toISOString(),
    trace_id: id.replaceAll("-", ""),
    gateway_id: ids.gateway_id,
    consumer_id: pick(ids.consumer_ids),
    key_id: ids.collector_id,
    user_id: `person-${below(5000)}`,
    endpoint: pick(["chat", "chat", "responses", "embeddings"]),
    method: "POST",
    registry_id,
    provider: registry_id && "openai",
    attempts: registry_id
      ? [{ registry_id, status, error: null, message: null, ms: next() * 900 }]
      : [],
    model_asked: model,
    model_sent: model,
    status,
    error_code: status === 429 ? "rate_limited" : null,
    error_message: null,
    upstream_error: status === 502 ? "server_error: overloaded" : null,
    request_bytes: 1200,
    response_bytes: 3400,
    ttfb_ms: next() * 300,
    total_ms: 300 + next() * 900,
    input_tokens: 250,
    output_tokens: 400,
  };
}

function makeEvaluation(
  ids: SeededIds,
  time: number,
  { pick, next, below }: Random,
): EvaluationEvent {
  const id = Bun.randomUUIDv7("hex", time);
  const status = pick(VERDICTS);
  const { policy_id, detector_id, collector_id } = ids;
  const source = { kind: "detector", detector_id, policy_id, policy_version: 1 } as const;
  return {
    id,
    time: new Date(time).toISOString(),
    trace_id: id.replaceAll("-", ""),
    collector_id,
    collector_name: "Shop",
    gateway_id: ids.gateway_id,
    policy_id,
    policy_name: "Default",
    policy_version: 1,
    policy_mode: "enforce",
    consumer_id: `person-${below(5000)}`,
    session_id: id,
    direction: pick(["input", "input", "output"]),
    protocol: pick(["llm", "llm", "mcp"]),
    application: pick(["till", "chat", "batch"]),
    model: pick(MODELS),
    tool: null,
    status,
    findings:
      status === "allow"
        ? []
        : [
            {
              source,
              signal: { type: pick(["credit_card", "email"]), confidence: 1 },
              outcome: { action: status },
              evidence: {},
            },
          ],
    detectors: { run: 3, skipped: 0, failed: [], uninspected: [] },
    attributes: {},
    client_address: "10.0.0.1",
    user_agent: null,
    latency_ms: next() * 5,
    content_storage: "none",
  };
}
