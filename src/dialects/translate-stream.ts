/** Translates a stream of server-sent events from the upstream's format to the client's. */
import { createEventSplitter, readData, type StreamEvent } from "../lib/http/split-events.ts";
import { createEventCheck } from "./check-events.ts";
import type { StreamReader, StreamWriter } from "./dialect.ts";
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

/** Caps the memory of an event. Long ones contain the signature of thinking, or a whole tool call. */
const MAX_EVENT_CHARACTERS = 16 * 1024 * 1024;

export function createStreamTranslator(
  reader: StreamReader,
  writer: StreamWriter,
  onUsage: (usage: Usage | undefined) => void = () => {},
): StreamTranslator {
  const splitter = createEventSplitter();
  const check = createEventCheck();
  let isOver = false;

  function write(events: NeutralEvent[]): string {
    let text = "";
    for (const event of events) {
      check(event);
      text += writer.write(event);
      isOver ||= event.type === "end" || event.type === "error";
      if (event.type === "end") onUsage(event.usage);
    }
    return text;
  }

  const translate = (event: StreamEvent): string => {
    const data = readData(event);
    return data === "" ? "" : write(reader.read(readName(event), data));
  };

  return {
    push(chunk) {
      let text = "";
      for (const event of splitter.push(chunk)) if (!isOver) text += translate(event);
      if (splitter.restSize() > MAX_EVENT_CHARACTERS) throw invalidResponse("has a too long event");
      return text;
    },
    end() {
      const rest = splitter.end();
      const text = rest && !isOver ? translate(rest) : "";
      return isOver ? text : text + write(reader.end());
    },
    isOver: () => isOver,
  };
}

function readName({ lines }: StreamEvent): string {
  const line = lines.find((each) => each.startsWith("event:"));
  return line === undefined ? "" : line.slice("event:".length).trim();
}
