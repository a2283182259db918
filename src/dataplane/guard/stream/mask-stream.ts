/** Masks a stream event by event: holds back text that is not final, and ends a blocked stream. */
import type { TextStream } from "../../../evaluation.ts";
import type { StreamEvent } from "../../../lib/http/split-events.ts";
import type { GrowingText } from "../../../lib/text/growing-text.ts";
import type { MaskedPart } from "../../../policy/stream/text-stream.ts";
import { buildUnreadableError } from "../guard-errors.ts";
import {
  createAssembly,
  isInAny,
  isInside,
  type ReadEvent,
  readText,
} from "./assemble-response.ts";
import { type CheckedEvent, createEventChecker, wrapEvent } from "./check-event.ts";
import { parseObject } from "./edit-event.ts";
import { addText, createEventSender, type Outgoing } from "./event-sender.ts";
import type { EvaluatedText, MaskHost, StreamMemory } from "./stream-evaluation.ts";
import type { StreamFormat } from "./stream-format.ts";
import { createTextSlot, type TextSlot } from "./text-slot.ts";

export interface StreamMask {
  add: (event: StreamEvent) => Promise<void>;
  /** Ends a stream that has no last event: sends the text that is complete. */
  end: () => Promise<void>;
  /** Sends everything that is held, and the event that could not be added, as received; or blocks the stream. */
  release: () => Promise<void>;
  /** Returns the text to send now, once. */
  take: () => string;
  isBlocked: () => boolean;
}

export function createStreamMask(
  format: StreamFormat,
  host: MaskHost,
  memory: Pick<StreamMemory, "addText" | "addStructure">,
): StreamMask {
  const assembly = createAssembly(format, memory);
  const checkEvent = createEventChecker(format, host.evaluatePart, (data) => {
    const read = assembly.add(data);
    if (current) current.read = read;
    return read;
  });
  const slots = new Map<string, TextSlot>();
  const { openText, starting_after } = host;
  const holdsAll = openText === undefined;
  const sender = createEventSender(slots, { holdsAll, memory, starting_after });
  /** Elements with tool calls that are not evaluated. */
  const calls = new Set<string>();
  /** The event that is added; `read` if the response contains its texts, `outgoing` if they are pushed. */
  let current: { event: StreamEvent; read?: ReadEvent; outgoing?: Outgoing } | undefined;
  let isOver = false;
  let isBlocked = false;
  let isReleased = false;

  function openSlot(pointer: string, isArgument: boolean): void {
    const existing = slots.get(pointer);
    if (existing?.is_closed) throw buildUnreadableError("a text continues after its end");
    if (existing) return;
    const stream = isArgument ? undefined : openText?.(pointer);
    slots.set(pointer, createTextSlot(stream));
  }

  /** Pushes the texts of an event. Returns false if one of them is blocked. */
  async function pushTexts(event: Outgoing): Promise<boolean> {
    for (const { pointer, slot, text } of event.read.pieces) {
      const stream = slots.get(slot)?.stream;
      if (!stream) continue;
      event.texts.set(pointer, "");
      const part = await stream.push(text);
      event.texts.set(pointer, part.text);
      if (!recordSent(slot, part)) return false;
    }
    return true;
  }

  function recordSent(pointer: string, { text, blocked }: MaskedPart): boolean {
    slots.get(pointer)?.sent.add(text);
    return !blocked;
  }

  /** Ends the texts inside the given elements or parts. Returns false if one of them is blocked. */
  async function closeTexts(prefixes: readonly string[], event?: Outgoing): Promise<boolean> {
    for (const [pointer, slot] of slots) {
      if (slot.is_closed || !slot.stream || !isInAny(pointer, prefixes)) continue;
      const part = await endText(pointer, slot.stream, slot.sent);
      slot.is_closed = true;
      if (!(event && addText(event, pointer, part.text))) sendRest(pointer, part.text);
      if (!recordSent(pointer, part)) return false;
    }
    return true;
  }

  function sendRest(pointer: string, text: string): void {
    if (text === "" || sender.addToHeld(pointer, text)) return;
    sender.sendRest(buildRest(pointer, text));
  }

  /** Returns the rest of the text. Text that is too long to be masked in parts is evaluated as a whole, in a worker. */
  async function endText(pointer: string, stream: TextStream, { read }: GrowingText) {
    const { held, ...part } = await stream.end();
    if (held === undefined) return part;
    if (isReleased) return { text: held, blocked: false };
    const { masked, blocked } = await host.evaluatePart(wrapText(assembly.textAt(pointer)));
    if (blocked) return { text: "", blocked };
    if (masked === null) return { text: held, blocked };
    const [whole, sent] = [readText(parseObject(masked), WRAPPED_TEXT), read()];
    if (!whole.startsWith(sent)) throw buildUnreadableError("a long text has other masks");
    return { text: whole.slice(sent.length), blocked };
  }

  /** Builds an event with the rest of the text at `slot`. */
  function buildRest(slot: string, text: string): Outgoing {
    const carrier = slots.get(slot)?.carrier;
    if (!carrier) {
      const [, list, index] = slot.split("/");
      const event = wrapEvent(format.buildDelta(slot, text), [`/${list}/${index}`]);
      return { ...event, texts: new Map() };
    }
    const texts = new Map(carrier.read.pieces.map(({ pointer }) => [pointer, ""]));
    const rest = { ...carrier, texts };
    addText(rest, slot, text);
    return rest;
  }

  /** Evaluates the tool calls inside the given elements. Returns false if one of them is blocked. */
  async function closeCalls(prefixes: readonly string[]): Promise<boolean> {
    for (const element of calls) {
      if (!isInAny(element, prefixes)) continue;
      calls.delete(element);
      if (holdsAll) continue;
      const own = [...slots.keys()].filter(
        (pointer) => isInside(pointer, element) && !slots.get(pointer)?.stream,
      );
      const evaluated = await host.evaluatePart(assembly.elementToText(element, own));
      if (evaluated.blocked) return false;
      const [, list] = element.split("/");
      setTexts(own, evaluated, (pointer) => `/${list}/0${pointer.slice(element.length)}`);
    }
    return true;
  }

  /** Sets the texts that are sent as a whole; `locateIn` returns their pointers in the evaluated JSON. */
  function setTexts(
    pointers: readonly string[],
    { masked }: EvaluatedText,
    locateIn = (pointer: string) => pointer,
  ): void {
    const evaluated = masked === null ? undefined : parseObject(masked);
    for (const pointer of pointers) {
      const slot = slots.get(pointer);
      if (!slot) continue;
      slot.is_closed = true;
      slot.sent.add(evaluated ? readText(evaluated, locateIn(pointer)) : assembly.textAt(pointer));
    }
  }

  /** Evaluates and records the response. Returns false if it is blocked. */
  async function evaluateResponse(): Promise<boolean> {
    const evaluated = await host.evaluateResponse(assembly.toText());
    if (evaluated.blocked) return false;
    if (holdsAll) setTexts([...slots.keys()], evaluated);
    return true;
  }

  /** Ends the stream as blocked. */
  function block(): void {
    isBlocked = true;
    isOver = true;
    sender.sendEnding(format);
  }

  async function recordAndBlock(): Promise<void> {
    block();
    await host.evaluateResponse(assembly.toText());
  }

  /** Evaluates the response after its last event, and sends what is held. */
  async function complete(send: () => void): Promise<void> {
    isOver = true;
    if (!((await closeTexts([""])) && (await closeCalls([""])))) return await recordAndBlock();
    if (!(await evaluateResponse())) return block();
    sender.sendHeld(() => true);
    send();
  }

  /** Ends a response that is not complete. Drops tool calls that are not complete. */
  async function endEarly(send: () => void): Promise<void> {
    isOver = true;
    if (!(await closeTexts([""]))) return await recordAndBlock();
    if (!(await evaluateResponse())) return block();
    sender.sendHeld(({ read }) => !(read.is_call && read.elements.some((each) => calls.has(each))));
    send();
  }

  async function addData(checked: CheckedEvent): Promise<void> {
    const { read } = checked;
    const event: Outgoing = { ...checked, texts: new Map() };
    if (current) current.outgoing = event;
    if (read.is_call) for (const element of read.elements) calls.add(element);
    if (!(await pushTexts(event))) {
      sender.sendOrHold(event);
      return await recordAndBlock();
    }
    if (read.stage === "error") return await endEarly(() => sender.send(event));
    if (read.stage === "last") return await complete(() => sender.send(event));
    const isPassed = (await closeTexts(read.closes, event)) && (await closeCalls(read.closes));
    if (!isPassed) return await recordAndBlock();
    const isRedundant = repeatsHeldTexts(event);
    if (read.is_delta) setCarriers(event);
    if (!isRedundant) sender.sendOrHold(event);
    current = undefined;
    if (read.stage === "body") for (const prefix of read.closes) sender.sendElement(prefix);
  }

  /** Returns true for an event that only continues texts which a held event will contain as a whole. */
  function repeatsHeldTexts({ read: { is_delta, pieces } }: Outgoing): boolean {
    if (!is_delta || pieces.length === 0) return false;
    return pieces.every(({ slot }) => {
      const { stream, carrier } = slots.get(slot) ?? {};
      return !stream && carrier !== undefined;
    });
  }

  function setCarriers(event: Outgoing): void {
    for (const { slot } of event.read.pieces) {
      const state = slots.get(slot);
      if (state) state.carrier = event;
    }
  }

  return {
    async add(event) {
      if (isOver) return;
      current = { event };
      await addEvent(event);
      current = undefined;
    },
    async end() {
      if (!isOver) await endEarly(() => {});
    },
    async release() {
      isOver = true;
      isReleased = true;
      try {
        await releaseHeld();
      } finally {
        const { outgoing, event } = (!isBlocked && current) || {};
        if (outgoing) sender.send(outgoing);
        else if (event) sender.sendText(event.text);
      }
    },
    take: sender.take,
    isBlocked: () => isBlocked,
  };

  async function addEvent(event: StreamEvent): Promise<void> {
    const checked = await check(event);
    if (checked === "blocked") return await recordAndBlock();
    if (checked.read) return await addData(checked);
    const send = () => sender.sendText(checked.event.text);
    return checked.is_last ? await complete(send) : send();
  }

  /** The response does not contain the texts of an event that is rejected: it may be sent as it was received. */
  async function check(event: StreamEvent) {
    try {
      const checked = await checkEvent(event);
      const pieces = checked === "blocked" ? [] : checked.read?.pieces;
      for (const { slot, is_argument } of pieces ?? []) openSlot(slot, is_argument);
      return checked;
    } catch (thrown) {
      if (current?.read) assembly.remove(current.read);
      throw thrown;
    }
  }

  /** Sends the texts that are held, before the event that could not be added. */
  async function releaseHeld(): Promise<void> {
    const { read, texts } = current?.outgoing ?? { read: undefined, texts: new Map() };
    for (const { pointer, slot, text } of read?.pieces ?? []) {
      if (!slots.get(slot)?.stream) continue;
      const pushed = texts.get(pointer);
      if (pushed !== undefined) sendRest(slot, pushed);
      texts.set(pointer, pushed === undefined ? text : "");
    }
    if (!(await closeTexts([""]))) return await recordAndBlock();
    const open = [...slots].flatMap(([at, { stream, is_closed }]) =>
      stream || is_closed ? [] : at,
    );
    setTexts(open, { masked: null, blocked: false });
    sender.sendHeld(() => true);
  }
}

/** Returns the JSON text of a response with this text only. */
const wrapText = (content: string): string =>
  JSON.stringify({ choices: [{ message: { role: "assistant", content } }] });
const WRAPPED_TEXT = "/choices/0/message/content";
