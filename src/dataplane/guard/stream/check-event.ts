/** Reads an event, and evaluates everything in it that is not text of the response. */

import { formatEvent, readData, type StreamEvent } from "../../../lib/http/split-events.ts";
import type { JsonObject } from "../../../lib/json/json-object.ts";
import type { Segment } from "../../../policy/segment.ts";
import type { ReadEvent } from "./assemble-response.ts";
import { replaceTexts } from "./edit-event.ts";
import { createNameCheck, findUnusualLines, readRest } from "./read-event.ts";
import type { EvaluatedText } from "./stream-evaluation.ts";
import { createParts, type StreamFormat } from "./stream-format.ts";

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
  format: Pick<StreamFormat, "hasType">,
  evaluatePart: (text: string, incomplete_calls?: readonly string[]) => Promise<EvaluatedText>,
  addData: (data: string) => ReadEvent,
): EventChecker {
  const clean = new Set<string>();
  let cleanCharacters = 0;
  const checkEventName = createNameCheck(format);

  function remember(texts: readonly string[]): void {
    for (const text of texts) {
      cleanCharacters += text.length;
      if (cleanCharacters <= MAX_CLEAN_CHARACTERS) clean.add(text);
    }
  }

  /** Removes comments and unknown fields with a finding. No client shows them. */
  async function checkLines(event: StreamEvent): Promise<StreamEvent> {
    const unusual = findUnusualLines(event).filter((line) => !clean.has(line));
    if (unusual.length === 0) return event;
    const { masked, blocked } = await evaluatePart(JSON.stringify({ lines: unusual }));
    if (masked === null && !blocked) {
      remember(unusual);
      return event;
    }
    const dropped = new Set(unusual);
    const lines = event.lines.filter((line) => !dropped.has(line));
    return { lines, text: lines.length > 0 ? `${lines.join("\n")}\n\n` : "" };
  }

  /** Returns the data with masks; undefined if it is blocked. */
  async function checkRest(data: string, read: ReadEvent): Promise<string | undefined> {
    const { segments, incomplete_calls, hasCalls } = readRest(read);
    const unknown = segments.map(describeSegment).filter((text) => !clean.has(text));
    if (unknown.length === 0 && !hasCalls) return data;
    const copies = read.copies.filter(({ is_argument }) => !(hasCalls && is_argument));
    const texts = [...read.pieces, ...copies];
    const empty = new Map(texts.map(({ pointer }) => [pointer, ""]));
    const blank = replaceTexts(data, empty, { keepsTokens: true });
    const { masked, blocked } = await evaluatePart(blank, incomplete_calls);
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

/** Rules read text by its author and the name of its member. */
const describeSegment = ({ source, pointer, inner, text }: Segment): string =>
  [source, pointer, inner, text].join(" ");

/** Wraps an event of our own, which needs no evaluation. */
export function wrapEvent(event: JsonObject, elements: string[]): CheckedEvent {
  const source = JSON.stringify(event);
  const text = formatEvent(event);
  const lines = text.trimEnd().split("\n");
  const read = { ...createParts(), elements, rest: event, copies: [] };
  return { event: { text, lines, data: source }, read, source };
}
