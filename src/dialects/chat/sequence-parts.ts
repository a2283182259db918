/** Puts the parts of a chat stream one after the other: the deltas of its tool calls may interleave. */
import { createObjectScan } from "../../lib/json/create-object-scan.ts";
import { MAX_RESPONSE_CHARACTERS } from "../check-events.ts";
import { invalidResponse } from "../invalid-response.ts";
import type { NeutralEvent, OutputPart, PartSignature } from "../neutral.ts";

export interface StreamedPart {
  readonly part: OutputPart;
  /** Emitted at the end of the part. */
  readonly signature: PartSignature | undefined;
  /** Text that is emitted when the part opens. */
  waiting: string;
  readonly scanArguments: (text: string) => boolean;
  /** Arguments that have not been scanned: most streams have only one call. */
  unscanned: string;
  isEnded: boolean;
}

/** Returns whether the arguments of a tool call are a whole object, so that only white space may follow. */
export function isComplete(part: StreamedPart): boolean {
  const { unscanned } = part;
  part.unscanned = "";
  return part.scanArguments(unscanned);
}

/** Emits the events of one part at a time. The others wait until the arguments of the open tool call are complete. */
export function createPartSequence(emit: (event: NeutralEvent) => void) {
  /** The first part is open. */
  const queue: StreamedPart[] = [];
  let size = 0;

  /** Caps the memory of parts that wait: only emitted events are counted elsewhere. */
  function countWaiting(characters: number): void {
    size += characters;
    if (size > MAX_RESPONSE_CHARACTERS) throw invalidResponse("is too long to be translated");
  }

  function open({ part, waiting }: StreamedPart): void {
    emit({ type: "part_start", part });
    if (waiting) emit({ type: "delta", text: waiting });
  }

  function endFirst(first: StreamedPart): void {
    first.isEnded = true;
    if (first.signature) emit({ type: "signature", signature: first.signature });
    emit({ type: "part_end" });
    queue.shift();
    if (queue[0]) open(queue[0]);
  }

  /** Text and thinking end as soon as another part follows. */
  function advance(): void {
    for (let [first, next] = queue; first && next; [first, next] = queue) {
      if (first.part.type === "tool_call" && !isComplete(first)) return;
      endFirst(first);
    }
  }

  return {
    /** Returns the last part that has started; undefined before the first. */
    last: (): StreamedPart | undefined => queue.at(-1),
    start(part: OutputPart, signature?: PartSignature): StreamedPart {
      const state = { waiting: "", unscanned: "", isEnded: false };
      const started = { part, signature, scanArguments: createObjectScan(), ...state };
      queue.push(started);
      if (queue.length === 1) open(started);
      else countWaiting(JSON.stringify(part).length);
      advance();
      return started;
    },
    add(to: StreamedPart, text: string): void {
      if (to.isEnded) {
        if (text.trim() === "") return;
        throw invalidResponse("continues a tool call that has ended");
      }
      if (to === queue[0]) emit({ type: "delta", text });
      else {
        countWaiting(text.length);
        to.waiting += text;
      }
      if (to.part.type !== "tool_call") return;
      to.unscanned += text;
      advance();
    },
    end(): void {
      for (let [first] = queue; first; [first] = queue) endFirst(first);
    },
  };
}
