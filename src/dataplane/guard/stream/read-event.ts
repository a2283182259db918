/** Reads the parts of an event that are no text of the response: its name, its lines and its other members. */

import { readName, type StreamEvent } from "../../../lib/http/split-events.ts";
import type { JsonObject } from "../../../lib/json/json-object.ts";
import type { Payload } from "../../../policy/payload/payload.ts";
import { readPayload } from "../../../policy/payload/read-payload.ts";
import { buildUnreadableError } from "../guard-errors.ts";
import { isInAny, type ReadEvent } from "./assemble-response.ts";
import { checkEncoding } from "./stream-evaluation.ts";
import { buildConflictError, type StreamFormat } from "./stream-format.ts";

/** Returns a check that rejects an event whose name is that of another type, or not as usual: clients read either, or skip the event. */
export function createNameCheck({ hasType }: Pick<StreamFormat, "hasType">) {
  /** "type" if events are named after their type. */
  let usualName: string | undefined;
  return (event: StreamEvent, { rest: { type } }: ReadEvent): void => {
    if (!hasType) return;
    const name = readName(event);
    if (hasType(name) && type !== name) throw buildConflictError();
    if (typeof type !== "string" || !hasType(type)) return;
    const used = name === type ? "type" : `other ${name}`;
    usualName ??= used;
    if (used !== usualName) throw buildConflictError();
  };
}

/** Returns comments and unknown fields. Rejects those that some clients read like data. */
export function findUnusualLines({ lines }: StreamEvent): string[] {
  const unusual = lines.filter((line) => !ORDINARY_LINE.test(line));
  checkEncoding(unusual);
  if (unusual.some((line) => JSON_LINE.test(line))) {
    throw buildUnreadableError("it has JSON outside of its data");
  }
  return unusual;
}

/** Matches data, the name of an event, an id that is too short for a card or a secret, a delay, and a comment of one word. */
const ORDINARY_LINE =
  /^(?:data(?::.*)?|event: ?[a-z_.]{0,64}|id: ?\w{0,11}|retry: ?\d{0,9}|: ?[A-Za-z_.-]{0,64})$/s;

/** Matches JSON that some clients read like data: without the field, or with another spelling of it. */
const JSON_LINE = /^\s*(?:data\s*:?\s*)?[[{]/i;

interface EventRest extends Pick<Payload, "segments"> {
  /** Locations of calls of the response, which are evaluated when they are complete. */
  incomplete_calls: string[];
  /** True if the event has a call that is no part of the response. */
  hasCalls: boolean;
}

/** Reads an event without the texts of the response. */
export function readRest({ rest, calls_at }: ReadEvent): EventRest {
  const { segments, calls, respelled } = readOutput(rest);
  if (respelled !== null) throw buildConflictError();
  const incomplete = calls.filter(({ pointer }) => isInAny(pointer, calls_at));
  return {
    segments,
    incomplete_calls: incomplete.map(({ pointer }) => pointer),
    hasCalls: incomplete.length < calls.length,
  };
}

export const readOutput = (body: JsonObject): Payload =>
  readPayload(body, {
    direction: "output",
    protocol: "llm",
    attributes: {},
    is_foreign_body: true,
  });
