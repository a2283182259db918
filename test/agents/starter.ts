/** The Starter policy of a new installation as guard of a gateway, and its findings in Activity. */
import type { EvaluationEvent, StoredText } from "../../src/contract/guard/activity.ts";
import type { Collector } from "../../src/contract/guard/collectors.ts";
import { unique } from "../kit/guard.ts";
import type { Kit } from "../kit/kit.ts";

/** Creates a collector like the one of a new installation, so that each run has its own Activity. */
export async function makeCollector(admin: Kit): Promise<{ id: string; key: string }> {
  const reply = await admin.get("/v1/collectors?sort=created_at&limit=1");
  const { items }: { items: Collector[] } = await reply.json();
  const { default_policy_id = null } = items[0] ?? {};
  if (default_policy_id === null) throw new Error("The installation has no Starter policy.");
  const name = unique("Starter");
  const collector = await admin.make("/v1/collectors", { name, default_policy_id });
  const keys = `/v1/collectors/${collector.id}/keys`;
  const { key } = await admin.make<{ key: string }>(keys, { name });
  return { id: collector.id, key };
}

export async function listEvents(admin: Kit, collector_id: string): Promise<EvaluationEvent[]> {
  const reply = await admin.get(`/v1/activity?collector_id=${collector_id}&limit=200`);
  const { items }: { items: EvaluationEvent[] } = await reply.json();
  return items;
}

/** Findings of one kind at one kind of place. */
export interface FindingCount {
  /** Client or MCP server. */
  source: string;
  detector: string;
  type: string;
  action: string;
  /** Protocol, direction, and the ends of the JSON pointer. */
  place: string;
  count: number;
  /** The highest score, and the beginning of its text. */
  score: number;
  text: string;
}

export type FindingCounts = Map<string, FindingCount>;

/** Adds the findings of these events. */
export async function countFindings(
  admin: Kit,
  { source, events }: { source: string; events: readonly EvaluationEvent[] },
  counts: FindingCounts,
): Promise<void> {
  for (const { id, protocol, direction, findings } of events) {
    if (findings.length === 0) continue;
    const reply = await admin.get(`/v1/activity/${id}`);
    const { content }: { content: StoredText[] | null } = await reply.json();
    for (const finding of findings) {
      for (const { pointer, type, confidence } of listPlaces(finding.evidence)) {
        const kind = {
          source,
          detector: finding.source.detector_name ?? "",
          type,
          action: finding.outcome.action,
          place: `${protocol} ${direction} ${shorten(pointer)}`,
        };
        const key = JSON.stringify(kind);
        const known = counts.get(key) ?? { ...kind, count: 0, score: 0, text: "" };
        known.count += 1;
        if (confidence > known.score) {
          const { text = "" } = content?.find((stored) => stored.pointer === pointer) ?? {};
          known.score = Number(confidence.toFixed(3));
          known.text = JSON.stringify(text.slice(0, 60));
        }
        counts.set(key, known);
      }
    }
  }
}

function shorten(pointer: string): string {
  const [first = "", ...rest] = pointer.split("/").filter((name) => !/^(?:\d*|result)$/.test(name));
  return rest.length === 0 ? `/${first}` : `/${first}/…/${rest.at(-1)}`;
}

/** Matches of a gate have no location. */
const listPlaces = ({ places }: Record<string, unknown>) =>
  (places ?? []) as { pointer: string; type: string; confidence: number }[];
