/** Converts a stream of events to a JSON array of their data: the form of Gemini streams without `alt=sse`. */
import { createEventSplitter, readData, type StreamEvent } from "../../lib/http/split-events.ts";

export function createJsonArrayStream(): TransformStream<Uint8Array, Uint8Array> {
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
  return new TransformStream({
    transform(chunk, controller) {
      const text = render(splitter.push(chunk));
      if (text !== "") controller.enqueue(Buffer.from(text));
    },
    flush(controller) {
      const last = splitter.end();
      const text = last ? render([last]) : "";
      controller.enqueue(Buffer.from(`${text}${separator === "[" ? "[" : ""}]`));
    },
  });
}
