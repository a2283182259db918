/** Splits server-sent events from a byte stream, and keeps their text as it was received. */

export interface StreamEvent {
  /** As received, including line ends and the blank line. */
  text: string;
  /** Lines without line ends and without the blank line. */
  lines: string[];
}

export interface EventSplitter {
  /** Returns the events that the chunk completes. */
  push: (chunk: Uint8Array) => StreamEvent[];
  /** Returns the text of a chunk that is not split. It may start with the rest of a character. */
  decode: (chunk: Uint8Array) => string;
  /** Returns the event at the end of the stream that has no blank line after it. */
  end: () => StreamEvent | undefined;
  /** Returns the text of the unfinished event. */
  rest: () => string;
  /** Returns the number of characters of the unfinished event. */
  restSize: () => number;
}

const BYTE_ORDER_MARK = 0xfeff;

export function createEventSplitter(): EventSplitter {
  const decoder = new TextDecoder();
  let lines: string[] = [];
  let text = "";
  /** Start of a line whose end has not arrived. */
  let partial = "";
  /** The last character was a carriage return: a line feed that follows belongs to it. */
  let afterReturn = false;

  function split(arrived: string): StreamEvent[] {
    const events: StreamEvent[] = [];
    let from = afterReturn && arrived.startsWith("\n") ? 1 : 0;
    if (arrived !== "") afterReturn = false;
    const pattern = /\r\n?|\n/g;
    pattern.lastIndex = from;
    for (let found = pattern.exec(arrived); found; found = pattern.exec(arrived)) {
      const line = partial + arrived.slice(from, found.index);
      partial = "";
      text += line + found[0];
      from = pattern.lastIndex;
      afterReturn = found[0] === "\r" && from === arrived.length;
      if (line === "") {
        events.push({ text, lines });
        lines = [];
        text = "";
      } else {
        // A second byte order mark is removed by the client.
        lines.push(line.charCodeAt(0) === BYTE_ORDER_MARK ? line.replace(/^\ufeff+/, "") : line);
      }
    }
    partial += arrived.slice(from);
    return events;
  }

  const decode = (chunk: Uint8Array): string => decoder.decode(chunk, { stream: true });

  return {
    push: (chunk) => split(decode(chunk)),
    decode,
    end() {
      const events = split(`${decoder.decode()}\n\n`);
      return events.find((event) => event.lines.length > 0);
    },
    rest: () => text + partial,
    restSize: () => text.length + partial.length,
  };
}

/** Returns the data of an event, or an empty string. */
export function readData({ lines }: StreamEvent): string {
  const [first = ""] = lines;
  if (lines.length === 1) return isData(first) ? readLine(first) : "";
  return lines.filter(isData).map(readLine).join("\n");
}

const readLine = (line: string): string => line.slice(line.startsWith("data: ") ? 6 : 5);

/** Returns the text of an event with other data. */
export function replaceData({ lines }: Pick<StreamEvent, "lines">, data: string): string {
  const at = lines.findIndex(isData);
  const others = lines.map((line, index) => (isData(line) && index !== at ? [] : [line]));
  if (at >= 0) others[at] = data.split("\n").map((line) => `data: ${line}`);
  return `${others.flat().join("\n")}\n\n`;
}

const isData = (line: string): boolean => line === "data" || line.startsWith("data:");

/** Formats an event that the upstream did not send; named after its type, if it has one. */
export function formatEvent(event: Record<string, unknown>): string {
  const name = typeof event.type === "string" ? `event: ${event.type}\n` : "";
  return `${name}data: ${JSON.stringify(event)}\n\n`;
}
