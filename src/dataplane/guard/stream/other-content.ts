/** Collects the content of a stream's events that is no part of the response: comments, unknown members and other calls. */

import type { InternalEvaluation } from "../../../evaluation.ts";
import type { StreamEvent } from "../../../lib/http/split-events.ts";
import type { JsonObject } from "../../../lib/json/json-object.ts";
import type { Segment } from "../../../policy/segment.ts";
import { buildUnreadableError } from "../guard-errors.ts";
import type { ReadEvent } from "./assemble-response.ts";
import { findUnusualLines, readOutput, readRest } from "./read-event.ts";
import type { StreamMemory } from "./stream-evaluation.ts";
import type { StreamFormat } from "./stream-format.ts";

export interface OtherContent {
  addLines: (event: StreamEvent) => void;
  addData: (data: string, read: ReadEvent) => void;
  /** Adds the lines of an event that the client has received only in part. */
  addUnfinished: (event: StreamEvent) => void;
  /** Events with calls. */
  withCalls: readonly Pick<InternalEvaluation, "text" | "incomplete_calls">[];
  /** Returns the JSON text of other events with texts that the response does not have; undefined if there are none. */
  joinTexts: () => string | undefined;
}

/** Caps the events with calls, which are evaluated one by one. */
const MAX_CALLS = 8;

export function createOtherContent(
  format: StreamFormat,
  { addText }: Pick<StreamMemory, "addText">,
): OtherContent {
  const withCalls: OtherContent["withCalls"][number][] = [];
  const withTexts: { text: string; keys: string[] }[] = [];
  /** Most events repeat the same members. */
  const seen = new Set<string>();

  /** Keeps an event whose texts are not all repeated from events before it. */
  function addTexts(event: JsonObject, segments: readonly Segment[]): void {
    const keys = segments.map(createKey).filter((key) => !seen.has(key));
    if (keys.length === 0) return;
    const text = JSON.stringify(event);
    addText(text.length);
    withTexts.push({ text, keys });
    for (const key of keys) seen.add(key);
  }

  const addAsText = (lines: string[]) => addTexts({ lines }, readOutput({ lines }).segments);

  return {
    addLines(event) {
      const lines = findUnusualLines(event);
      if (lines.length > 0) addAsText(lines);
    },
    addUnfinished: ({ lines }) => addAsText(lines),
    addData(data, read) {
      const { segments, incomplete_calls, hasCalls } = readRest(read);
      if (format.keepsCalls || !hasCalls) return addTexts(read.rest, segments);
      addText(data.length);
      if (withCalls.push({ text: data, incomplete_calls }) > MAX_CALLS) {
        throw buildUnreadableError("it has too many calls outside of its response");
      }
    },
    withCalls,
    joinTexts() {
      if (withTexts.length === 0) return undefined;
      const known = new Set(readOutput(format.response()).segments.map(createKey));
      const events = withTexts.filter(({ keys }) => keys.some((key) => !known.has(key)));
      if (events.length === 0) return undefined;
      return `{"events":[${events.map(({ text }) => text).join()}]}`;
    },
  };
}

/** Rules read text by its author and the name of its member. */
const createKey = ({ source, pointer, text }: Segment): string =>
  [source, pointer.slice(pointer.lastIndexOf("/")), text].join(" ");
