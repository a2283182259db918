/** What is kept of a payload for Activity, for who decides about it, and for a replay. */
import type { StoredText } from "../contract/activity.ts";
import type { Collector } from "../contract/collectors.ts";
import { type InspectionContext, NOT_RECORDED } from "../policy/detector.ts";
import { maskForStorage } from "../policy/masking/mask-for-storage.ts";
import { createNameMasker } from "../policy/masking/name-masker.ts";
import type { Payload } from "../policy/payload/payload.ts";
import type { PolicyOutcome } from "../policy/run-policy.ts";
import { createSegment, type Segment, type SegmentSource } from "../policy/segment.ts";

/** Beside the sources of texts: names of tools, numbers that detectors look at, and values that none does. */
const CALLED = "called_tool";
const OFFERED = "offered_tool";
const NUMBER = "tool_number";
const VALUE = "value";
/** What the client says of a tool beside the payload. */
const ATTRIBUTE = "attribute";
/** Says how much is missing. */
const NOT_SHOWN = "not_shown";

/** The vendor-neutral figure of the field: more than this of one evaluation helps nobody. */
const MAX_CHARACTERS = 1024 * 1024;
/** More of them nobody reads, and a table has a hundred thousand numbers. */
const MAX_LISTED = 500;

/** Attachments are not among the segments of a payload: their texts are never kept. */
export function selectContent(
  storage: Collector["content_storage"],
  payload: Payload,
  {
    hidden,
    status,
    attributes = [],
  }: Pick<PolicyOutcome, "hidden"> & { status: string; attributes?: readonly Value[] },
): StoredText[] | null {
  if (storage === "none") return null;
  const hiddenIn = Map.groupBy(hidden, ({ at }) => at?.segment);
  const keep = (of: Segment): string =>
    storage === "full" ? of.text : maskForStorage(of, hiddenIn.get(of) ?? []);
  const names = createNameMasker();
  let room = MAX_CHARACTERS;
  /** A verdict is about the end of a conversation: that is kept first. */
  const latest = <Of extends Kept>(
    list: readonly Of[],
    sourceOf: (of: Of) => string,
    textOf: (of: Of) => string,
  ): StoredText[] => {
    const kept: StoredText[] = [];
    for (let i = list.length - 1; i >= 0 && room > 0; i--) {
      const of = list[i] as Of;
      const pointer = names.pointer(of.pointer);
      const inner = of.inner ? names.pointer(of.inner) : null;
      const role = of.role ? names.name(of.role) : null;
      const text = textOf(of).slice(0, room);
      kept.push({ pointer, inner, source: sourceOf(of), role, text });
      room -= text.length + pointer.length + (inner?.length ?? 0);
    }
    return kept.reverse();
  };
  const nameOf = ({ name }: { name: string }) => names.name(name);
  const called = latest(payload.calls.slice(-MAX_LISTED), () => CALLED, nameOf);
  const offered = latest(payload.definitions.slice(0, MAX_LISTED), () => OFFERED, nameOf);
  // Alone a number says little; to who decides about a call it may say everything.
  const isAsked = status === "ask";
  // Its name may say that it is personal: the `cvv` 123.
  const keepValue = (of: Value) => keep(createSegment(of.text, "tool_arguments", of));
  const stamped = latest(attributes, () => ATTRIBUTE, keepValue);
  const values = isAsked ? latest(payload.values, () => VALUE, keepValue) : [];
  const numbers = isAsked
    ? latest(payload.segments.filter(isGiven).slice(-MAX_LISTED), () => NUMBER, keep)
    : [];
  const texts = latest(
    payload.segments.filter(({ isNumber }) => !isNumber),
    ({ source }) => source,
    keep,
  );
  return [...offered, ...called, ...stamped, ...texts, ...numbers, ...values];
}

/**
 * Returns what an approver sees of a payload and of the attributes that are approved with it: masked whatever the
 * collector stores, and headed by how much is left out, so that padding cannot hide an argument.
 */
export function selectApprovalContent(
  payload: Payload,
  hidden: PolicyOutcome["hidden"],
  attributes: readonly Value[],
): StoredText[] {
  const asked = { hidden, status: "ask", attributes };
  const content = selectContent("masked", payload, asked) ?? [];
  const { segments, values, dropped_values, calls, definitions } = payload;
  const texts = segments.filter((of) => !of.isNumber || isGiven(of));
  const listed = [texts, values, calls, definitions, attributes];
  const omitted = listed.reduce((sum, list) => sum + list.length, dropped_values) - content.length;
  const size = content.reduce(
    (sum, { text, pointer, inner }) => sum + text.length + pointer.length + (inner?.length ?? 0),
    0,
  );
  const cut = size >= MAX_CHARACTERS;
  if (omitted === 0 && !cut) return content;
  const text = `${omitted} values of the payload are not shown${cut ? ", and one is not shown to its end" : ""}: it is too large.`;
  return [{ pointer: "", inner: null, source: NOT_SHOWN, role: null, text }, ...content];
}

interface Kept {
  pointer: string;
  inner?: string | null;
  role?: string | null;
}

interface Value extends Kept {
  text: string;
}

const isGiven = ({ isNumber, source }: Segment) => isNumber && source !== "tool_result";

/** What a replay judges: as much of the payload as was kept. */
export function restorePayload(
  content: readonly StoredText[],
): Pick<InspectionContext, "calls" | "definitions" | "payload_bytes"> & { segments: Segment[] } {
  const tools = (wanted: string) =>
    content
      .filter(({ source }) => source === wanted)
      .map(({ text, pointer }) => ({ name: text, pointer }));
  const segments = content.flatMap(textAgain);
  return {
    segments,
    calls: tools(CALLED).map((call) => ({ ...call, arguments: NOT_RECORDED })),
    definitions: tools(OFFERED).map((tool) => ({ ...tool, schema: undefined })),
    payload_bytes: segments.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0),
  };
}

function textAgain({ text, source, ...place }: StoredText): Segment[] {
  if ([CALLED, OFFERED, VALUE].includes(source)) return [];
  if (source === NUMBER)
    return [createSegment(text, "tool_arguments", { ...place, isNumber: true })];
  // It was one of ours when it was written.
  return [createSegment(text, source as SegmentSource, place)];
}
