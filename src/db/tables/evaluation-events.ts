/** The evaluation_events table, with the findings and stored text of each event. */

import type { ActivityEvent, EvaluationEvent, StoredText } from "../../contract/guard/activity.ts";
import { firstIdAt } from "../../lib/ids.ts";
import type { Db } from "../db.ts";
import { deleteInBatches } from "../delete-in-batches.ts";
import { table } from "../table.ts";

export interface RecordedEvaluation {
  event: EvaluationEvent;
  /** null: the collector stores no text. */
  content: readonly StoredText[] | null;
  /** Keyed hashes of the matches of each finding. Undefined in a journal of an older release. */
  fingerprints?: Fingerprints | null;
}

/** For each finding, one for each of its first matches; null for a match without a location. */
export type Fingerprints = readonly (readonly (string | null)[])[];

/** Columns of an event, without its stored text. */
const EVENT = {
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
} as const;

const NAMED = { name: "evaluation_events", search: [], sort: ["-id"] } as const;

export const evaluationEventTable = table<ActivityEvent>({
  ...NAMED,
  columns: { ...EVENT, feedback: "json" },
});

interface Content {
  places: Omit<StoredText, "text">[] | null;
  /** Separate from the locations, so that a search reads only text. */
  texts: string[] | null;
  fingerprints: Fingerprints | null;
}

const CONTENT = { places: "json", texts: "json", fingerprints: "json" } as const;

/** Stores the text in the row of the event, so that an event needs one statement. */
const recordedTable = table<EvaluationEvent & Content>({
  ...NAMED,
  columns: { ...EVENT, ...CONTENT },
});

const storedTable = table<ActivityEvent & Content>({
  ...NAMED,
  columns: { ...EVENT, feedback: "json", ...CONTENT },
});

/** Inserts events with their findings in one transaction. */
export function insertEvaluations(db: Db, recorded: readonly RecordedEvaluation[]): Promise<void> {
  const rows = recorded.map(rowOf);
  const fired: [source: string, event_id: string][] = [];
  for (const { event } of recorded) {
    for (const source of sourcesOf(event)) fired.push([source, event.id]);
  }
  if (fired.length === 0) return recordedTable.insertMany(db, rows);
  return db.transaction(async (tx) => {
    await recordedTable.insertMany(tx, rows);
    for (let at = 0; at < fired.length; at += FIRED_AT_A_TIME) {
      const part = fired.slice(at, at + FIRED_AT_A_TIME);
      const places = part.map((_, index) => `($${2 * index + 1}, $${2 * index + 2})`);
      const sql = `INSERT INTO evaluation_findings (source, event_id) VALUES ${places.join(", ")}`;
      await tx.run(sql, ...part.flat());
    }
  });
}

function rowOf(recorded: RecordedEvaluation): EvaluationEvent & Content {
  const { event, content, fingerprints = null } = recorded;
  const places = content?.map(({ text: _, ...place }) => place) ?? null;
  return { ...event, places, texts: content?.map(({ text }) => text) ?? null, fingerprints };
}

/** Rows per statement: up to 200 gates and rules may match, and Postgres accepts 65,535 values. */
const FIRED_AT_A_TIME = 1_000;

/** Returns the detector ids and gate names that an event is indexed by. */
const sourcesOf = ({ findings }: EvaluationEvent): Iterable<string> =>
  findings.length === 0
    ? []
    : new Set(findings.map(({ source }) => source.detector_id ?? source.gate_name ?? ""));

export interface StoredEvaluation {
  event: ActivityEvent;
  content: StoredText[] | null;
  fingerprints: Fingerprints | null;
}

export async function findEvaluation(db: Db, id: string): Promise<StoredEvaluation | undefined> {
  const row = await storedTable.find(db, { id });
  if (!row) return undefined;
  const { places, texts, fingerprints, ...event } = row;
  return { event, content: contentOf({ places, texts }), fingerprints };
}

export async function findContent(db: Db, id: string): Promise<StoredText[] | null> {
  return (await findEvaluation(db, id))?.content ?? null;
}

const contentOf = ({ places, texts }: Pick<Content, "places" | "texts">): StoredText[] | null =>
  places?.map((place, index) => ({ ...place, text: texts?.[index] ?? "" })) ?? null;

/** Deletes events; a `collector_id` of null means events of deleted collectors. */
export function deleteEvaluations(
  db: Db,
  where: { collector_id: string | null; before: Date } | { consumer_id: string },
): Promise<number> {
  const [condition, values] = dropped(where);
  return deleteInBatches(db, "evaluation_events", condition, ...values);
}

function dropped(
  where: Parameters<typeof deleteEvaluations>[1],
): [condition: string, values: string[]] {
  if ("consumer_id" in where) return ["consumer_id = $1", [where.consumer_id]];
  const oldest = firstIdAt(where.before);
  return where.collector_id === null
    ? ["collector_id NOT IN (SELECT id FROM collectors) AND id < $1", [oldest]]
    : ["collector_id = $1 AND id < $2", [where.collector_id, oldest]];
}
