/** Types, limits and turns of masked and observed streams. */
import type { Deps } from "../../../deps.ts";
import type { EvaluationContext, InternalEvaluation, ResponseGuard } from "../../../evaluation.ts";
import type { WorkMeter } from "../../../lib/concurrency/fair-turns.ts";
import type { EventSplitter, StreamEvent } from "../../../lib/http/split-events.ts";
import { createSizeCap } from "../../../lib/streams/capped-body.ts";
import type { ByteReservation } from "../../../reserve-bytes.ts";
import { MIN_COUNTED_BYTES, takeTurnToParse } from "../../../take-turn.ts";
import type { StreamedBody } from "../../upstream/upstream-reply.ts";
import { buildUnreadableError } from "../guard-errors.ts";
import type { StreamFormat } from "./stream-format.ts";

/** Evaluations of one streamed response. */
export interface StreamEvaluation {
  deps: Deps;
  context: EvaluationContext;
  /** The client's request; its signal is created when it is read. */
  request: Request;
  format: StreamFormat;
  /** Number of the last event that the client has received, if it resumes the stream. */
  starting_after: number | undefined;
  /** Memory of the texts and held events. Released when the response is evaluated, also after its request has ended. */
  memory: ByteReservation;
  /** `evaluate` is `deps.evaluate` unless given. */
  evaluate: (
    text: string,
    options: Pick<InternalEvaluation, "recorded" | "incomplete_calls"> & {
      evaluate?: Deps["evaluate"];
    },
  ) => Promise<EvaluatedText & { isClean: boolean }>;
  /** Records that the stream cannot be evaluated. Throws unless it may pass. */
  fail: (thrown: unknown) => Promise<void>;
}

export interface EvaluatedText {
  /** Masked JSON text; null if nothing is masked. */
  masked: string | null;
  blocked: boolean;
}

/** Evaluations that a masked stream needs. */
export interface MaskHost extends Omit<ResponseGuard, "evaluate"> {
  /** Evaluates the JSON text of an event, a tool call or a long text, without recording it. */
  evaluatePart: (
    text: string,
    incomplete_calls?: InternalEvaluation["incomplete_calls"],
  ) => Promise<EvaluatedText>;
  /** Evaluates and records the response. */
  evaluateResponse: (text: string) => Promise<EvaluatedText>;
  /** Number of the last event that the client has received, if it resumes the stream. */
  starting_after?: number | undefined;
}

export interface GuardedBody extends StreamedBody {
  /** Records what was evaluated, when the request ends before the stream. */
  stop: () => Promise<void>;
}

/** A chunk is split in parts: its events take several times its memory, and other streams have their turns between them. */
export const PART_BYTES = 16 * 1024;

/** Caps an event, and the text of a response and its held events together. */
const MAX_HELD_CHARACTERS = 4 * 1024 * 1024;

/** A text is in memory as it was received, and as it is evaluated. */
const COPIES = 2;

/** Counts the memory of one stream. Its functions may throw. */
export interface StreamMemory {
  /** Adds the characters of text, or of an event that is held. */
  addText: (characters: number) => void;
  /** Adds characters of the response beside its texts. */
  addStructure: (characters: number) => void;
  /** Counts the event that has not arrived completely. The memory of the largest one stays reserved. */
  holdEvent: (splitter: EventSplitter) => void;
}

export function createStreamMemory({ memory }: Pick<StreamEvaluation, "memory">): StreamMemory {
  const capTexts = createSizeCap(MAX_HELD_CHARACTERS, () =>
    buildUnreadableError("its texts exceed 4 MiB"),
  );
  let maxEventSize = 0;
  const reserve = (characters: number) => memory.add(characters * COPIES);
  return {
    addText(characters) {
      capTexts(characters);
      reserve(characters);
    },
    addStructure: reserve,
    holdEvent({ restSize }) {
      const size = restSize();
      if (size > MAX_HELD_CHARACTERS) throw buildUnreadableError("an event exceeds 4 MiB");
      if (size <= maxEventSize) return;
      reserve(size - maxEventSize);
      maxEventSize = size;
    },
  };
}

/** Rejects lines in UTF-16 or UTF-32: they have no data that the guard could read. */
export function checkEncoding(lines: readonly string[]): void {
  if (lines.some((line) => line.includes("\0"))) throw buildUnreadableError("it is not in UTF-8");
}

/** Returns a promise for a large event, which waits for its turn: those of several streams would block the event loop together. */
export function takeTurnToReadEvent(
  evaluation: StreamTurn,
  work: WorkMeter,
  { text }: StreamEvent,
): Promise<void> | undefined {
  const { length: size } = text;
  if (size <= MIN_COUNTED_BYTES) return undefined;
  const turn = { owner: ownerOf(evaluation), size, client: undefined };
  return work.exclude(() => takeTurnToParse(evaluation.deps, turn));
}

/** The streams of one consumer together do not delay others. */
export const measureStreamWork = (evaluation: StreamTurn): WorkMeter =>
  evaluation.deps.turns.measure(ownerOf(evaluation));

type StreamTurn = Pick<StreamEvaluation, "deps" | "context">;

const ownerOf = ({ context: { request, collector_id } }: StreamTurn): string =>
  request.consumer_id ?? collector_id;
