/** Translates a stream of events from the upstream's format to the client's. */
import { createEventSplitter, readData, type StreamEvent } from "../lib/http/split-events.ts";
import { createEventCheck } from "./check-events.ts";
import type { EventSource, StreamReader, StreamWriter, TransportEvent } from "./dialect.ts";
import { invalidResponse } from "./invalid-response.ts";
import type { NeutralEvent, Usage } from "./neutral.ts";

export interface StreamTranslator {
  /** Returns the text for the client, often empty. Throws `upstream_failed` for an invalid stream. */
  push: (chunk: Uint8Array) => string;
  /** Returns the last text after the upstream's stream has ended. */
  end: () => string;
  /** Returns whether the client's stream is complete; the rest of the upstream's is ignored. */
  isOver: () => boolean;
}

interface TranslatorOptions {
  onUsage?: (usage: Usage | undefined) => void;
  /** Server-sent events if undefined. */
  source?: EventSource | undefined;
}

/** Caps the memory of an event. Long ones contain the signature of thinking, or a whole tool call. */
const MAX_EVENT_CHARACTERS = 16 * 1024 * 1024;

export function createStreamTranslator(
  reader: StreamReader,
  writer: StreamWriter,
  { onUsage, source = createServerSentEvents() }: TranslatorOptions = {},
): StreamTranslator {
  const check = createEventCheck();
  let isOver = false;

  function write(events: NeutralEvent[]): string {
    let text = "";
    for (const event of events) {
      check(event);
      text += writer.write(event);
      isOver ||= event.type === "end" || event.type === "error";
      if (event.type === "end") onUsage?.(event.usage);
    }
    return text;
  }

  function translate(events: TransportEvent[]): string {
    let text = "";
    for (const { name, data } of events) if (!isOver) text += write(reader.read(name, data));
    return text;
  }

  return {
    push: (chunk) => translate(source.push(chunk)),
    end() {
      const text = translate(source.end());
      return isOver ? text : text + write(reader.end());
    },
    isOver: () => isOver,
  };
}

function createServerSentEvents(): EventSource {
  const splitter = createEventSplitter();
  const read = (event: StreamEvent): TransportEvent[] => {
    const data = readData(event);
    return data === "" ? [] : [{ name: "", data }];
  };
  return {
    push(chunk) {
      const events = splitter.push(chunk).flatMap(read);
      if (splitter.restSize() > MAX_EVENT_CHARACTERS) throw invalidResponse("has a too long event");
      return events;
    },
    end() {
      const rest = splitter.end();
      return rest ? read(rest) : [];
    },
  };
}
