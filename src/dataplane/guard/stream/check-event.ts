/** Reads an event, and evaluates everything in it that is not text of the response. */

import {
  formatEvent,
  readData,
  readName,
  type StreamEvent,
} from "../../../lib/http/split-events.ts";
import type { JsonObject } from "../../../lib/json/json-object.ts";
import { readPayload } from "../../../policy/payload/read-payload.ts";
import type { Segment } from "../../../policy/segment.ts";
import { buildUnreadableError } from "../guard-errors.ts";
import { isInAny, type ReadEvent } from "./assemble-response.ts";
import { replaceTexts } from "./edit-event.ts";
import { checkEncoding, type EvaluatedText } from "./stream-evaluation.ts";
import { buildConflictError, createParts, type StreamFormat } from "./stream-format.ts";

/** An event whose other members are evaluated. */
export interface CheckedEvent {
  event: StreamEvent & { data: string };
  read: ReadEvent;
  /** Data to send; the texts of the response are empty in it if it is masked. */
  source: string;
}

/** An event without JSON; `is_last` for `[DONE]`. */
interface PlainEvent {
  event: StreamEvent;
  read?: undefined;
  is_last: boolean;
}

export type EventChecker = (event: StreamEvent) => Promise<CheckedEvent | PlainEvent | "blocked">;

/** Caps the characters of texts that are remembered as clean: most events repeat the same members. */
const MAX_CLEAN_CHARACTERS = 16 * 1024;

export function createEventChecker(
  { hasType }: Pick<StreamFormat, "hasType">,
  evaluatePart: (text: string, incomplete_calls?: readonly string[]) => Promise<EvaluatedText>,
  addData: (data: string) => ReadEvent,
): EventChecker {
  const clean = new Set<string>();
  let cleanCharacters = 0;
  /** "type" if events are named after their type. */
  let usualName: string | undefined;

  function remember(texts: readonly string[]): void {
    for (const text of texts) {
      cleanCharacters += text.length;
      if (cleanCharacters <= MAX_CLEAN_CHARACTERS) clean.add(text);
    }
  }

  /** Removes comments and unknown fields with a finding. No client shows them. */
  async function checkLines(event: StreamEvent): Promise<StreamEvent> {
    const unusual = event.lines.filter((line) => !ORDINARY_LINE.test(line) && !clean.has(line));
    if (unusual.length === 0) return event;
    checkEncoding(unusual);
    if (unusual.some((line) => JSON_LINE.test(line))) {
      throw buildUnreadableError("it has JSON outside of its data");
    }
    const { masked, blocked } = await evaluatePart(JSON.stringify({ lines: unusual }));
    if (masked === null && !blocked) {
      remember(unusual);
      return event;
    }
    const dropped = new Set(unusual);
    const lines = event.lines.filter((line) => !dropped.has(line));
    return { lines, text: lines.length > 0 ? `${lines.join("\n")}\n\n` : "" };
  }

  /** Rejects an event whose name is that of another type, or not as usual: clients read either, or skip the event. */
  function checkEventName(event: StreamEvent, { rest: { type } }: ReadEvent): void {
    if (!hasType) return;
    const name = readName(event);
    if (hasType(name) && type !== name) throw buildConflictError();
    if (typeof type !== "string" || !hasType(type)) return;
    const used = name === type ? "type" : `other ${name}`;
    usualName ??= used;
    if (used !== usualName) throw buildConflictError();
  }

  /** Returns the data with masks; undefined if it is blocked. */
  async function checkRest(data: string, read: ReadEvent): Promise<string | undefined> {
    const { segments, calls, respelled } = readPayload(read.rest, OUTPUT);
    if (respelled !== null) throw buildConflictError();
    const unknown = segments.map(describeSegment).filter((text) => !clean.has(text));
    const incomplete = calls.filter(isOfResponse(read));
    const hasCalls = incomplete.length < calls.length;
    if (unknown.length === 0 && !hasCalls) return data;
    const copies = read.copies.filter(({ is_argument }) => !(hasCalls && is_argument));
    const texts = [...read.pieces, ...copies];
    const empty = new Map(texts.map(({ pointer }) => [pointer, ""]));
    const blank = replaceTexts(data, empty, { keepsTokens: true });
    const { masked, blocked } = await evaluatePart(
      blank,
      incomplete.map(({ pointer }) => pointer),
    );
    if (blocked) return undefined;
    if (masked === null) remember(unknown);
    return masked ?? data;
  }

  return async (received) => {
    const event = await checkLines(received);
    const data = readData(event);
    if (data === "") return { event, is_last: false };
    if (data.trim() === "[DONE]") return { event, is_last: true };
    const read = addData(data);
    checkEventName(event, read);
    const source = await checkRest(data, read);
    return source === undefined ? "blocked" : { event: { ...event, data }, read, source };
  };
}

/** Returns a filter of calls that are part of the response which the events build: they are evaluated when they are complete. */
const isOfResponse =
  ({ calls_at }: ReadEvent) =>
  ({ pointer }: { pointer: string }): boolean =>
    isInAny(pointer, calls_at);

/** Returns whether an event has a call that is no part of the response which the events build. */
export const hasOtherCalls = (read: ReadEvent): boolean =>
  !readPayload(read.rest, OUTPUT).calls.every(isOfResponse(read));

/** Rules read text by its author and the name of its member. */
const describeSegment = ({ source, pointer, inner, text }: Segment): string =>
  [source, pointer, inner, text].join(" ");

const OUTPUT = {
  direction: "output",
  protocol: "llm",
  attributes: {},
  is_foreign_body: true,
} as const;

/** Matches data, the name of an event, an id that is too short for a card or a secret, a delay, and a comment of one word. */
const ORDINARY_LINE =
  /^(?:data(?::.*)?|event: ?[a-z_.]{0,64}|id: ?\w{0,11}|retry: ?\d{0,9}|: ?[A-Za-z_.-]{0,64})$/s;

/** Matches JSON that some clients read like data: without the field, or with another spelling of it. */
const JSON_LINE = /^\s*(?:data\s*:?\s*)?[[{]/i;

/** Wraps an event of our own, which needs no evaluation. */
export function wrapEvent(event: JsonObject, elements: string[]): CheckedEvent {
  const source = JSON.stringify(event);
  const text = formatEvent(event);
  const lines = text.trimEnd().split("\n");
  const read = { ...createParts(), elements, rest: event, copies: [] };
  return { event: { text, lines, data: source }, read, source };
}
