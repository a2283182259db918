/** Cuts a multipart body into its parts while it arrives, holding back no more than a boundary's length. */

/** A part begins; then come its pieces. `filename` is absent for a plain field. */
export interface PartStart {
  name: string;
  filename: string | undefined;
  type: string | undefined;
}

const MAX_HEADER_BYTES = 8192;

/** Yields "end" after the closing boundary only: a body that is cut short or malformed ends without it. */
export async function* splitForm(
  body: AsyncIterable<Uint8Array>,
  boundary: string,
): AsyncGenerator<PartStart | Buffer | "end"> {
  const mark = Buffer.from(`\r\n--${boundary}`);
  let pending: Buffer = Buffer.from("\r\n"); // the first boundary has no line before it
  let state: "preamble" | "headers" | "content" | "epilogue" = "preamble";

  for await (const chunk of body) {
    if (state === "epilogue") continue;
    pending = Buffer.concat([pending, chunk]);
    for (;;) {
      if (state === "headers") {
        if (pending.subarray(0, 2).equals(CLOSING)) {
          state = "epilogue";
          yield "end";
          break;
        }
        const end = pending.indexOf("\r\n\r\n");
        if (end > MAX_HEADER_BYTES || (end < 0 && pending.length > MAX_HEADER_BYTES)) return;
        if (end < 0) break;
        yield partStart(pending.subarray(0, end).toString());
        pending = pending.subarray(end + 4);
        state = "content";
      } else {
        const found = pending.indexOf(mark);
        // A boundary may be cut in two by the end of this chunk, so that much of the tail has to wait.
        const end = found >= 0 ? found : Math.max(0, pending.length - mark.length + 1);
        if (state === "content" && end > 0) yield pending.subarray(0, end);
        pending = pending.subarray(found >= 0 ? found + mark.length : end);
        if (found < 0) break;
        state = "headers";
      }
    }
  }
}

const CLOSING = Buffer.from("--");

function partStart(headers: string): PartStart {
  const disposition = /^content-disposition:.*$/im.exec(headers)?.[0] ?? "";
  const name = /;\s*name=("(?:[^"\\]|\\.)*"|[^;\s]+)/i.exec(disposition)?.[1];
  const filename = /;\s*filename=("(?:[^"\\]|\\.)*"|[^;\s]+)/i.exec(disposition)?.[1];
  const type = /^content-type:\s*(\S.*)$/im.exec(headers)?.[1]?.trim();
  return { name: unquote(name) ?? "", filename: unquote(filename), type };
}

const unquote = (text: string | undefined): string | undefined =>
  text?.startsWith('"')
    ? text
        .slice(1, -1)
        .replace(/\\(["\\])/g, "$1")
        .replaceAll("%22", '"')
    : text;
