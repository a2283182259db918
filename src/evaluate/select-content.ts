/** Selects the content of a payload that is stored for Activity, shown to approvers, and replayed. */
import type { StoredText } from "../contract/guard/activity.ts";
import type { Collector } from "../contract/guard/collectors.ts";
import {
  type InspectionContext,
  NOT_RECORDED,
  type ToolCall,
  type ToolDefinition,
} from "../policy/detector.ts";
import { type EncodeMasked, maskForStorage } from "../policy/masking/mask-for-storage.ts";
import { createNameMasker } from "../policy/masking/name-masker.ts";
import type { Payload } from "../policy/payload/payload.ts";
import type { PolicyOutcome } from "../policy/policy-run.ts";
import { createSegment, isMemoized, type Segment, type SegmentSource } from "../policy/segment.ts";

/** Sources beside those of segments: tool names, numbers that detectors read, and values that none reads. */
const CALLED_TOOL = "called_tool";
const OFFERED_TOOL = "offered_tool";
const NUMBER = "tool_number";
const VALUE = "value";
/** Tool attributes that the client sends beside the payload. */
const ATTRIBUTE = "attribute";
/** Notice about omitted content. */
const NOT_SHOWN = "not_shown";

/** Caps the stored content of one evaluation. */
const MAX_CHARACTERS = 1024 * 1024;
/** Caps lists of tools and numbers: a table can have a hundred thousand numbers. */
const MAX_LISTED = 500;

interface ContentOptions extends Pick<PolicyOutcome, "hidden"> {
  /** Texts beside the payload that are approved with it. */
  attributes?: readonly LocatedText[];
  /** Source texts of numbers. */
  literals?: ReadonlyMap<Segment, string>;
  /** Adds codes to masks. */
  encode?: EncodeMasked;
}

/** Never includes attachments, because they are not segments of the payload. */
export function selectContent(
  storage: Collector["content_storage"],
  payload: Payload,
  { hidden, status, attributes = [], literals, encode }: ContentOptions & { status: string },
): StoredText[] | null {
  if (storage === "none") return null;
  let remaining = MAX_CHARACTERS;
  const hiddenBySegment = Map.groupBy(hidden, ({ at }) => at?.segment);
  const readText = (segment: Segment): string => {
    if (storage === "full") return segment.text;
    // The digits that detectors read may be the same for two numbers, so the code is that of the literal.
    const literal = literals?.get(segment);
    const encodeText = literal === undefined ? encode : encode && (() => encode(literal));
    const text = maskForStorage(segment, hiddenBySegment.get(segment) ?? [], {
      encode: encodeText,
      limit: remaining,
    });
    if (!isMemoized(payload.segments)) segment.memo = undefined;
    return text;
  };
  const masker = createNameMasker(encode);
  /** Starts from the end of the list, because a verdict is usually about the end of a conversation. */
  const takeLatest = <Item extends LocatedText>(
    items: readonly Item[],
    sourceOf: (item: Item) => string,
    textOf: (item: Item) => string,
  ): StoredText[] => {
    const taken: StoredText[] = [];
    for (let i = items.length - 1; i >= 0 && remaining > 0; i--) {
      const item = items[i] as Item;
      const pointer = masker.pointer(item.pointer);
      const inner = item.inner ? masker.pointer(item.inner) : null;
      const role = item.role ? masker.name(item.role) : null;
      const complete = textOf(item);
      const text = complete.slice(0, remaining);
      const stored: StoredText = { pointer, inner, source: sourceOf(item), role, text };
      if (complete !== item.text) stored.masked = true;
      if (item.isFile) stored.is_file = true;
      taken.push(stored);
      remaining -= text.length + pointer.length + (inner?.length ?? 0);
    }
    return taken.reverse();
  };
  const toText = ({ name, pointer }: ToolCall | ToolDefinition) => ({ text: name, pointer });
  const readName = ({ text }: LocatedText) => masker.name(text);
  const calls = payload.calls.slice(-MAX_LISTED).map(toText);
  const called = takeLatest(calls, () => CALLED_TOOL, readName);
  const definitions = payload.definitions.slice(0, MAX_LISTED).map(toText);
  const offered = takeLatest(definitions, () => OFFERED_TOOL, readName);
  // Numbers and other values matter only to an approver.
  const isAsk = status === "ask";
  // As a segment, so that a personal member name masks its value, such as `cvv`.
  const readValue = (item: LocatedText) =>
    readText(createSegment(item.text, "tool_arguments", item));
  const described = takeLatest(attributes, () => ATTRIBUTE, readValue);
  const values = isAsk ? takeLatest(payload.values, () => VALUE, readValue) : [];
  /** Detectors read the digits of a number. If nothing is masked, it is shown as it was written. */
  const restoreNumber = (segment: Segment): Segment => {
    const literal = literals?.get(segment) ?? segment.text;
    if (literal === segment.text || readText(segment) !== segment.text) return segment;
    const { source, pointer, role, inner, isNumber } = segment;
    return createSegment(literal, source, { pointer, role, inner, isNumber });
  };
  const numbers = isAsk
    ? takeLatest(
        payload.segments
          .filter(({ isNumber }) => isNumber)
          .slice(-MAX_LISTED)
          .map(restoreNumber),
        () => NUMBER,
        readText,
      )
    : [];
  const texts = takeLatest(
    payload.segments.filter(({ isNumber }) => !isNumber),
    ({ source }) => source,
    readText,
  );
  return [...offered, ...called, ...described, ...texts, ...numbers, ...values];
}

/**
 * Returns the content that an approver sees: the payload and the attributes that are approved with it. It is masked
 * for every storage setting, and starts with a notice when something is omitted, so that padding cannot hide an argument.
 */
export function selectApprovalContent(
  payload: Payload,
  options: Required<ContentOptions>,
): StoredText[] {
  const content = selectContent("masked", payload, { ...options, status: "ask" }) ?? [];
  const { attributes } = options;
  const { segments, values, dropped_values, calls, definitions } = payload;
  const lists = [segments, values, calls, definitions, attributes];
  const omitted = lists.reduce((sum, list) => sum + list.length, dropped_values) - content.length;
  const truncated = isTruncated(content);
  if (omitted === 0 && !truncated) return content;
  const text = `The payload is too large to show: ${omitted} values are not shown${truncated ? ", and one is truncated" : ""}.`;
  return [{ pointer: "", inner: null, source: NOT_SHOWN, role: null, text }, ...content];
}

/** Returns whether content was left out because it exceeds the limit. */
export function isTruncated(content: readonly StoredText[]): boolean {
  const size = content.reduce(
    (sum, { text, pointer, inner }) => sum + text.length + pointer.length + (inner?.length ?? 0),
    0,
  );
  return size >= MAX_CHARACTERS;
}

interface LocatedText {
  text: string;
  pointer: string;
  inner?: string | null;
  role?: string | null;
  isFile?: boolean;
}

/** Restores as much of a payload as was stored. */
export function restorePayload(
  content: readonly StoredText[],
): Pick<InspectionContext, "calls" | "definitions" | "payload_bytes"> & { segments: Segment[] } {
  const restoreTools = (kind: string) =>
    content
      .filter(({ source }) => source === kind)
      .map(({ text, pointer }) => ({ name: text, pointer }));
  const segments = content.flatMap(restoreSegment);
  return {
    segments,
    calls: restoreTools(CALLED_TOOL).map((call) => ({ ...call, arguments: NOT_RECORDED })),
    definitions: restoreTools(OFFERED_TOOL).map((tool) => ({ ...tool, schema: undefined })),
    payload_bytes: segments.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0),
  };
}

/** Returns an empty list for content that is not a segment. */
function restoreSegment({ text, source, is_file, masked: _, ...at }: StoredText): Segment[] {
  const location = { ...at, isFile: is_file === true };
  if ([CALLED_TOOL, OFFERED_TOOL, VALUE].includes(source)) return [];
  if (source === NUMBER) {
    return [createSegment(text, "tool_arguments", { ...location, isNumber: true })];
  }
  // Any other source was written by selectContent.
  return [createSegment(text, source as SegmentSource, location)];
}
