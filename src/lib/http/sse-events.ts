/** Reads server-sent events from a byte stream, as the HTML standard defines them. */

export interface SseEvent {
  /** "message" where the event names no type. */
  type: string;
  /** May be empty: MCP servers send such an event to announce its id. */
  data: string;
  /** The last id that the stream has sent, "" before the first. */
  id: string;
  /** Milliseconds to wait before reconnecting, where the event says so. */
  retry_ms: number | undefined;
}

/** Linear in the length of the stream, however long a line is. An event that is cut off is dropped. */
export async function* sseEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<SseEvent> {
  const decoder = new TextDecoder();
  let pieces: string[] = []; // of the line that has not ended
  let data: string[] = [];
  let type = "message";
  let id = "";
  let retry_ms: number | undefined;
  let isBlank = true;
  for await (const chunk of body) {
    const text = decoder.decode(chunk, { stream: true });
    let start = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
      pieces.push(text.slice(start, end));
      start = end + 1;
      const line = withoutReturn(pieces.join(""));
      pieces = [];
      const [name, value] = fieldIn(line);
      if (name === "data") data.push(value);
      else if (name === "event") type = value;
      else if (name === "id" && !value.includes("\0")) id = value;
      else if (name === "retry" && /^\d{1,9}$/.test(value)) retry_ms = Number(value);
      if (line !== "") {
        isBlank = false;
        continue;
      }
      if (!isBlank) yield { type, data: data.join("\n"), id, retry_ms };
      data = [];
      type = "message";
      retry_ms = undefined;
      isBlank = true;
    }
    if (start < text.length) pieces.push(text.slice(start));
  }
}

/** A comment has the name "". */
function fieldIn(line: string): [name: string, value: string] {
  const colon = line.indexOf(":");
  if (colon < 0) return [line, ""];
  return [line.slice(0, colon), line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1)];
}

const withoutReturn = (line: string): string => (line.endsWith("\r") ? line.slice(0, -1) : line);
