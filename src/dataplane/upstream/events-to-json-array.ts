/** Converts a stream of events to a JSON array of their data: the form of Gemini streams without `alt=sse`. */
import { createEventSplitter, readData, type StreamEvent } from "../../lib/http/split-events.ts";
import type { EventFormat } from "./relay-stream.ts";

export function createJsonArrayFormat(): EventFormat {
  const splitter = createEventSplitter();
  let separator = "[";
  const render = (events: readonly StreamEvent[]): string => {
    let text = "";
    for (const event of events) {
      const data = readData(event);
      if (data === "") continue;
      text += separator + data;
      separator = ",\r\n";
    }
    return text;
  };
  return {
    convert: (chunk) => Buffer.from(render(splitter.push(chunk))),
    end() {
      const last = splitter.end();
      const text = last ? render([last]) : "";
      return Buffer.from(`${text}${separator === "[" ? "[" : ""}]`);
    },
  };
}
