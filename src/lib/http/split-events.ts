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
  /** Returns the number of characters of the unfinished event, and some for each of its lines. */
  restSize: () => number;
}

const BYTE_ORDER_MARK = 0xfeff;
/** A line takes memory for a string of its own. */
const LINE_CHARACTERS = 32;

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
    /** Start of the text that is in no event yet. */
    let start = from;
    if (arrived !== "") afterReturn = false;
    const pattern = /\r\n?|\n/g;
    pattern.lastIndex = from;
    const complete = () => {
      events.push({ text: text + arrived.slice(start, from), lines });
      lines = [];
      text = "";
      start = from;
    };
    for (let found = pattern.exec(arrived); found; found = pattern.exec(arrived)) {
      const line = partial + arrived.slice(from, found.index);
      text += partial;
      partial = "";
      from = pattern.lastIndex;
      afterReturn = found[0] === "\r" && from === arrived.length;
      // A second byte order mark is removed by the client.
      if (line !== "")
        lines.push(line.charCodeAt(0) === BYTE_ORDER_MARK ? line.replace(/^\ufeff+/, "") : line);
      // Other blank lines belong to the next event, so that millions of them are not as many events.
      else if (lines.length > 0) complete();
    }
    if (lines.length === 0 && start < from) complete();
    text += arrived.slice(start, from);
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
    restSize: () => text.length + partial.length + lines.length * LINE_CHARACTERS,
  };
}

/** Returns the data of an event, or an empty string. */
export function readData({ lines }: StreamEvent): string {
  const [first = ""] = lines;
  if (lines.length === 1) return isData(first) ? readLine(first) : "";
  return lines.filter(isData).map(readLine).join("\n");
}

const readLine = (line: string): string => line.slice(line.startsWith("data: ") ? 6 : 5);

/** Returns the name of an event, or an empty string. */
export function readName({ lines }: StreamEvent): string {
  const line = lines.findLast((each) => each === "event" || each.startsWith("event:"));
  return line?.slice("event:".length).replace(/^ /, "") ?? "";
}

/** Returns the text of an event with other data: JSON in one line, because some clients read each line as an event. */
export function replaceData({ lines }: Pick<StreamEvent, "lines">, data: string): string {
  const at = lines.findIndex(isData);
  const others = lines.filter((line, index) => !isData(line) || index === at);
  const line = `data: ${data.replaceAll("\n", " ")}`;
  return `${others.map((other) => (isData(other) ? line : other)).join("\n")}\n\n`;
}

const isData = (line: string): boolean => line === "data" || line.startsWith("data:");

/** Formats an event that the upstream did not send; named after its type, if it has one. */
export function formatEvent(event: Record<string, unknown>): string {
  const name = typeof event.type === "string" ? `event: ${event.type}\n` : "";
  return `${name}data: ${JSON.stringify(event)}\n\n`;
}
