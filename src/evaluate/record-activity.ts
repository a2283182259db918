/** The Activity event of an evaluation, and as much of its texts as the collector keeps (spec 6). */
import type { EvaluationEvent, StoredText } from "../contract/activity.ts";
import { idTime } from "../lib/ids.ts";
import type { Program } from "../policy/compile-policy.ts";
import { maskForStorage } from "../policy/mask-for-storage.ts";
import { maskNames } from "../policy/mask-names.ts";
import type { Value } from "../policy/payload/payload.ts";
import type { Outcome } from "../policy/run-policy.ts";
import { type Segment, segment } from "../policy/segment.ts";
import type { Backing } from "./backing.ts";
import { applicationOf, factsOf, type Known, keptAttributes, shortName } from "./facts.ts";

/** Where an evaluation came from. */
export interface Origin {
  trace_id: string;
  request_id: string;
  client_address: string;
  user_agent: string | null;
}

export interface Decided {
  known: Known;
  program: Program | undefined;
  outcome: Pick<Outcome, "findings" | "detectors" | "hidden"> & {
    status: EvaluationEvent["status"];
    latency_ms: number;
  };
  origin: Origin;
}

export function recordActivity(backing: Backing, decided: Decided): Promise<void> {
  const { known, program, outcome, origin } = decided;
  const { collector, request, payload } = known;
  const facts = factsOf(known);
  const model = facts("model.name");
  const event: EvaluationEvent = {
    id: origin.request_id,
    // What lists are ordered and narrowed by.
    time: new Date(idTime(origin.request_id)).toISOString(),
    trace_id: origin.trace_id,
    collector_id: collector.id,
    collector_name: collector.name,
    gateway_id: collector.gateway_id,
    policy_id: program?.id ?? null,
    policy_name: program?.name ?? null,
    policy_version: program?.version ?? null,
    policy_mode: program?.mode ?? null,
    consumer_id: request.consumer_id ?? null,
    session_id: request.session_id ?? null,
    direction: known.direction,
    protocol: known.protocol,
    application: applicationOf(known),
    model: typeof model === "string" ? shortName(model) : null,
    tool: payload.tool.name === null ? null : shortName(payload.tool.name),
    status: outcome.status,
    findings: outcome.findings,
    detectors: outcome.detectors,
    attributes: keptAttributes(facts),
    client_address: origin.client_address,
    user_agent: origin.user_agent?.slice(0, 256) ?? null,
    latency_ms: outcome.latency_ms,
    content_storage: collector.content_storage,
  };
  return backing.record({ event, content: contentOf(known, outcome) });
}

/** What is kept beside texts: numbers that detectors look at, and the values that none does. */
export const STORED_NUMBER = "tool_number";
export const STORED_VALUE = "value";

/** The vendor-neutral figure of the field: more than this of one evaluation helps nobody. */
const MOST_CHARACTERS = 1024 * 1024;

/** Attachments are not among the segments of a payload: their texts are never kept. */
function contentOf(
  { collector, payload }: Known,
  { hidden, status }: Decided["outcome"],
): StoredText[] | null {
  if (collector.content_storage === "none") return null;
  const hiddenIn = Map.groupBy(hidden, ({ at }) => at?.segment);
  const masked = (of: Segment) => maskForStorage(of, hiddenIn.get(of) ?? []);
  const keep = collector.content_storage === "full" ? plain : masked;
  const names = maskNames();
  const kept: StoredText[] = [];
  let room = MOST_CHARACTERS;
  const add = (source: string, of: Value, whole: string): void => {
    if (room <= 0) return;
    const pointer = names.pointer(of.pointer);
    const inner = of.inner === null ? null : names.pointer(of.inner);
    const role = of.role === null ? null : names.name(of.role);
    const text = whole.slice(0, room);
    kept.push({ pointer, inner, source, role, text });
    room -= text.length + pointer.length + (inner?.length ?? 0);
  };
  // Alone a number says little, and a table has a hundred thousand of them.
  for (const of of payload.segments) {
    if (room <= 0) break;
    if (!of.isNumber) add(of.source, of, keep(of));
  }
  if (status !== "ask") return kept;
  for (const of of payload.segments) {
    if (room <= 0) break;
    if (of.isNumber && of.source !== "tool_result") add(STORED_NUMBER, of, keep(of));
  }
  for (const value of payload.values) {
    // Its name may say that it is personal: the `cvv` 123.
    add(STORED_VALUE, value, keep(segment(value.text, "tool_arguments", value)));
  }
  return kept;
}

const plain = ({ text }: Segment): string => text;
