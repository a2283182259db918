/** Reads server-sent events: the data of each, as the stream brings them. */

/** Names, ids and retries are skipped. Each byte is looked at once, however long a line gets. */
export async function* sseEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let pieces: string[] = []; // of the line that has not ended
  let data: string[] = [];
  for await (const chunk of body) {
    const text = decoder.decode(chunk, { stream: true });
    let start = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
      pieces.push(text.slice(start, end));
      start = end + 1;
      const line = withoutReturn(pieces.join(""));
      pieces = [];
      if (line.startsWith("data:")) data.push(line.slice(line[5] === " " ? 6 : 5));
      if (line !== "" || data.length === 0) continue;
      yield data.join("\n");
      data = [];
    }
    if (start < text.length) pieces.push(text.slice(start));
  }
}

const withoutReturn = (line: string): string => (line.endsWith("\r") ? line.slice(0, -1) : line);
