/** The evaluation_events table with what hangs on an event: which sources fired, and its texts. */

import type { EvaluationEvent, StoredText } from "../contract/activity.ts";
import { idAt } from "../lib/ids.ts";
import type { Db } from "./db.ts";
import { table } from "./table.ts";

export interface RecordedEvaluation {
  event: EvaluationEvent;
  /** null: the collector keeps none. */
  content: readonly StoredText[] | null;
}

export const evaluationEventTable = table<EvaluationEvent>({
  name: "evaluation_events",
  columns: {
    id: "text",
    time: "text",
    trace_id: "text",
    collector_id: "text",
    collector_name: "text",
    gateway_id: "text",
    policy_id: "text",
    policy_name: "text",
    policy_version: "number",
    policy_mode: "text",
    consumer_id: "text",
    session_id: "text",
    direction: "text",
    protocol: "text",
    application: "text",
    model: "text",
    tool: "text",
    status: "text",
    findings: "json",
    detectors: "json",
    attributes: "json",
    client_address: "text",
    user_agent: "text",
    latency_ms: "number",
    content_storage: "text",
  },
  search: [],
  sort: ["-id"],
});

interface ContentRow {
  id: string;
  places: Omit<StoredText, "text">[];
  /** Apart from the places, so that a search looks at texts alone. */
  texts: string[];
}

const contentTable = table<ContentRow>({
  name: "evaluation_contents",
  columns: { id: "text", places: "json", texts: "json" },
  search: [],
  sort: ["-id"],
});

/** All or nothing: an event never stands without what hangs on it. */
export async function insertEvaluations(
  db: Db,
  recorded: readonly RecordedEvaluation[],
): Promise<void> {
  await db.transaction(async (tx) => {
    await evaluationEventTable.insertMany(
      tx,
      recorded.map(({ event }) => event),
    );
    const kept = recorded.flatMap(({ event: { id }, content }): ContentRow[] => {
      const places = content?.map(({ text: _, ...place }) => place);
      return content && places ? [{ id, places, texts: content.map(({ text }) => text) }] : [];
    });
    if (kept.length) await contentTable.insertMany(tx, kept);
    const fired = recorded.flatMap(({ event }) =>
      sourcesOf(event).map((source) => [source, event.id]),
    );
    if (fired.length === 0) return;
    const places = fired.map((_, index) => `($${2 * index + 1}, $${2 * index + 2})`);
    const values = fired.flat();
    const sql = `INSERT INTO evaluation_findings (source, event_id) VALUES ${places.join(", ")}`;
    await tx.run(sql, ...values);
  });
}

/** What an event is found by: ids of detectors, names of gates. */
const sourcesOf = ({ findings }: EvaluationEvent): string[] => [
  ...new Set(findings.map(({ source }) => source.detector_id ?? source.gate_name ?? "")),
];

export async function findEvaluation(
  db: Db,
  id: string,
): Promise<{ event: EvaluationEvent; content: StoredText[] | null } | undefined> {
  const event = await evaluationEventTable.find(db, { id });
  if (!event) return undefined;
  return { event, content: await contentOf(db, id) };
}

export async function contentOf(db: Db, id: string): Promise<StoredText[] | null> {
  const kept = await contentTable.find(db, { id });
  return kept?.places.map((place, index) => ({ ...place, text: kept.texts[index] ?? "" })) ?? null;
}

/** Many small steps, so that nobody waits long for the database. */
const DROPPED_AT_A_TIME = 1_000;

/** A collector of null: those whose collector is gone. */
export async function dropEvaluations(
  db: Db,
  where: { collector_id: string | null; before: Date } | { consumer_id: string },
): Promise<number> {
  const [condition, values] = dropped(where);
  let total = 0;
  for (;;) {
    const count = await db.run(
      `DELETE FROM evaluation_events WHERE id IN
         (SELECT id FROM evaluation_events WHERE ${condition} LIMIT ${DROPPED_AT_A_TIME})`,
      ...values,
    );
    total += count;
    if (count < DROPPED_AT_A_TIME) return total;
  }
}

function dropped(
  where: Parameters<typeof dropEvaluations>[1],
): [condition: string, values: string[]] {
  if ("consumer_id" in where) return ["consumer_id = $1", [where.consumer_id]];
  const oldest = idAt(where.before);
  return where.collector_id === null
    ? ["collector_id NOT IN (SELECT id FROM collectors) AND id < $1", [oldest]]
    : ["collector_id = $1 AND id < $2", [where.collector_id, oldest]];
}
