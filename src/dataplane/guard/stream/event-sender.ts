/** Sends, holds and renders the events of a masked stream. */

import { formatEvent, replaceData } from "../../../lib/http/split-events.ts";
import { createSizeCap } from "../../../lib/streams/capped-body.ts";
import { buildUnreadableError } from "../guard-errors.ts";
import { isInside } from "./assemble-response.ts";
import type { CheckedEvent } from "./check-event.ts";
import { replaceTexts, setSequenceNumber } from "./edit-event.ts";
import type { StreamMemory } from "./stream-evaluation.ts";
import type { StreamFormat } from "./stream-format.ts";
import type { TextSlot } from "./text-slot.ts";

/** An event with the texts to send. */
export interface Outgoing extends CheckedEvent {
  /** New texts of its pieces, by pointer. */
  texts: Map<string, string>;
}

/** Adds text to the last piece of an event that continues the text at `slot`. Returns false if it has none. */
export function addText({ read, texts }: Outgoing, slot: string, text: string): boolean {
  const piece = read.pieces.findLast((each) => each.slot === slot);
  if (piece) texts.set(piece.pointer, (texts.get(piece.pointer) ?? "") + text);
  return piece !== undefined;
}

export interface EventSender {
  /** Sends an event, or holds it until the tool call or the response it belongs to is complete. */
  sendOrHold: (event: Outgoing) => void;
  send: (event: Outgoing) => void;
  /** Adds the rest of the text at `slot` to the held event with the text before it: nothing follows the end of a choice. */
  addToHeld: (slot: string, text: string) => boolean;
  /** Sends an event with remaining text, or holds it before the other events of its element. */
  sendRest: (event: Outgoing) => void;
  sendText: (text: string) => void;
  /** Sends the held events for which `isReady` returns true. */
  sendHeld: (isReady: (event: Outgoing) => boolean) => void;
  /** Sends the held events of a completed element, after those of the elements before it. */
  sendElement: (element: string) => void;
  /** Ends a blocked stream. */
  sendEnding: (format: StreamFormat) => void;
  /** Returns the text to send now, once. */
  take: () => string;
}

export interface SenderOptions {
  /** Nothing is sent before the response is complete. */
  holdsAll: boolean;
  memory: Pick<StreamMemory, "addText">;
  /** Events up to this number are not sent: the client has received them. */
  starting_after?: number | undefined;
}

/**
 * Caps the text that we add to events: the text that was sent in place of a short repetition, and events that are sent
 * again with remaining text. A small event may have thousands of repetitions or remaining texts.
 */
const MAX_REPEATED_CHARACTERS = 16 * 1024 * 1024;

export function createEventSender(
  slots: ReadonlyMap<string, TextSlot>,
  { holdsAll, memory, starting_after = -1 }: SenderOptions,
): EventSender {
  let held: Outgoing[] = [];
  /** Elements of which an event is held, in their order: later events must not overtake it. */
  const heldElements = new Set<string>();
  /** Those of them that are complete. */
  const completeElements = new Set<string>();
  /** Elements and parts whose first event was sent, but not the last one. */
  const open = new Set<string>();
  let output = "";
  let isStarted = false;
  let sequence: number | undefined;
  const countRepeated = createSizeCap(MAX_REPEATED_CHARACTERS, () =>
    buildUnreadableError("its events repeat too much text"),
  );

  function send(outgoing: Outgoing): void {
    const { read, event } = outgoing;
    const data = render(outgoing);
    if (data === undefined) return;
    isStarted = true;
    const isReceived = sequence !== undefined && sequence <= starting_after;
    const isUnchanged = data === event.data && !data.includes("\n");
    if (!isReceived) output += isUnchanged ? event.text : replaceData(event, data);
    if (read.opens !== undefined) open.add(read.opens);
    for (const prefix of read.closes) {
      for (const each of open) if (isInside(each, prefix)) open.delete(each);
    }
  }

  /** Returns the data to send; undefined for an event that has no text left. */
  function render({ read, texts, source, event }: Outgoing): string | undefined {
    const changes = new Map<string, string>();
    const change = (pointer: string, text: string, next: string) => {
      if (next !== text || source !== event.data) changes.set(pointer, next);
    };
    let isEmpty = read.is_delta && read.pieces.length > 0;
    for (const { pointer, slot, text } of read.pieces) {
      const next = texts.get(pointer) ?? deliver(slot);
      if (next !== "") isEmpty = false;
      change(pointer, text, next);
    }
    if (isEmpty) return undefined;
    for (const { pointer, slot, text } of read.copies) {
      const sent = slots.get(slot)?.sent.read() ?? "";
      const next = sent.startsWith(text) ? text : sent;
      countRepeated(Math.max(0, next.length - text.length));
      change(pointer, text, next);
    }
    const data = replaceTexts(source, changes);
    const { sequence_number } = read.rest;
    if (typeof sequence_number !== "number") return data;
    const next = nextSequence(sequence_number);
    return next === sequence_number ? data : setSequenceNumber(data, next);
  }

  /** Returns the text of a slot that is sent as a whole, for the first event that continues it. */
  function deliver(pointer: string): string {
    const slot = slots.get(pointer);
    if (!slot || slot.stream || slot.is_delivered) return "";
    slot.is_delivered = true;
    return slot.sent.read();
  }

  /** Numbers increase without duplicates, although events are dropped and inserted. */
  function nextSequence(received: number): number {
    sequence = sequence === undefined ? received : Math.max(received, sequence + 1);
    return sequence;
  }

  function sendHeld(isReady: (event: Outgoing) => boolean): void {
    const { ready = [], rest = [] } = Object.groupBy(held, (event) =>
      isReady(event) ? "ready" : "rest",
    );
    held = rest;
    for (const event of ready) send(event);
  }

  return {
    send,
    sendHeld,
    sendOrHold(event) {
      const { is_call, stage, elements, opens } = event.read;
      // Clients append an element to those before it.
      const isLater = heldElements.size > 0 && opens !== undefined && elements.includes(opens);
      const isHeld =
        holdsAll ||
        is_call ||
        isLater ||
        stage === "end" ||
        elements.some((each) => heldElements.has(each));
      if (!isHeld) return send(event);
      memory.addText(event.event.text.length);
      held.push(event);
      for (const element of elements) heldElements.add(element);
    },
    addToHeld(slot, text) {
      const last = held.findLast(({ read }) => read.pieces.some((each) => each.slot === slot));
      return last !== undefined && addText(last, slot, text);
    },
    sendRest(event) {
      countRepeated(event.event.text.length);
      const { elements } = event.read;
      if (!holdsAll && !elements.some((each) => heldElements.has(each))) return send(event);
      const first = held.findIndex(({ read }) =>
        read.elements.some((each) => elements.includes(each)),
      );
      held.splice(Math.max(first, 0), 0, event);
    },
    sendElement(element) {
      if (holdsAll || !heldElements.has(element)) return;
      completeElements.add(element);
      for (const first of heldElements) {
        if (!completeElements.delete(first)) return;
        heldElements.delete(first);
        sendHeld(({ read: { elements } }) => elements.length === 1 && elements[0] === first);
      }
    },
    sendText(text) {
      output += text;
    },
    sendEnding(format) {
      const texts = new Map([...slots].map(([pointer, { sent }]) => [pointer, sent.read()]));
      const state = { open: [...open], texts, is_started: isStarted };
      const { events, terminator } = format.buildEnding(state);
      for (const event of events) {
        const number = sequence === undefined ? {} : { sequence_number: nextSequence(0) };
        output += formatEvent({ ...event, ...number });
      }
      if (terminator === undefined) return;
      // Usage belongs to no choice.
      sendHeld(({ read }) => read.stage === "end" && read.elements.length === 0);
      output += terminator;
    },
    take() {
      const text = output;
      output = "";
      return text;
    },
  };
}
