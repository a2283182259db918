/** Reads the head of an HTTP/1.1 answer, strictly: who is wrong about where an answer ends mixes up two answers. */

export interface ReplyHead {
  status: number;
  headers: ReplyHeaders;
  framing: Framing;
  /** The connection can carry another request after this answer. */
  reusable: boolean;
}

/** Names in lower case; what came several times is joined by commas. */
export type ReplyHeaders = ReadonlyMap<string, string>;

/** Each event is passed on as it comes. */
export const isEventStream = (headers: ReplyHeaders): boolean =>
  /^text\/event-stream/i.test(headers.get("content-type") ?? "");

/** How the end of a body is told: by its length, by itself, or by the end of the connection. */
export type Framing = { kind: "length"; length: number } | { kind: "chunked" } | { kind: "close" };

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9][0-9]{2})(?: |$)/;
const NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
const NOT_IN_A_LINE = /[^\t\x20-\x7e\x80-\xff]/;
const LENGTH = /^[0-9]{1,15}$/;

/** `text`: all before the empty line. Undefined when it is no proper head. */
export function readReplyHead(text: string, method: string): ReplyHead | undefined {
  const [first = "", ...lines] = text.split("\r\n");
  const [, minor, code] = STATUS_LINE.exec(first) ?? [];
  if (code === undefined || NOT_IN_A_LINE.test(first)) return undefined;
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(colon, 0)).toLowerCase();
    if (!NAME.test(name) || NOT_IN_A_LINE.test(line)) return undefined;
    const value = trimmed(line, colon + 1);
    const earlier = headers.get(name);
    headers.set(name, earlier === undefined ? value : `${earlier}, ${value}`);
  }
  const status = Number(code);
  const framing = framingOf(headers, method === "HEAD" || BODILESS.test(code));
  if (!framing) return undefined;
  const chunked = headers.has("transfer-encoding");
  const sized = headers.has("content-length");
  // A body that must not be there may come all the same.
  const ambiguous = (chunked && sized) || (status === NO_CONTENT && (chunked || sized));
  const reusable =
    framing.kind !== "close" && !ambiguous && staysOpen(minor, headers.get("connection"));
  return { status, headers, framing, reusable };
}

const NO_CONTENT = 204;
const BODILESS = /^1|204|304/;
const EMPTY: Framing = { kind: "length", length: 0 };

function framingOf(headers: ReplyHeaders, bodiless: boolean): Framing | undefined {
  if (bodiless) return EMPTY;
  const encoding = headers.get("transfer-encoding");
  if (encoding !== undefined) {
    return encoding.toLowerCase() === "chunked" ? { kind: "chunked" } : undefined;
  }
  const length = headers.get("content-length");
  if (length === undefined) return { kind: "close" };
  return LENGTH.test(length) ? { kind: "length", length: Number(length) } : undefined;
}

function staysOpen(minor: string | undefined, connection = ""): boolean {
  const said = connection.toLowerCase();
  return minor === "1" ? !said.includes("close") : said.includes("keep-alive");
}

/** Without the spaces and tabs around it. `trim` would take more than those. */
function trimmed(line: string, from: number): string {
  let start = from;
  let end = line.length;
  while (start < end && isBlank(line.charCodeAt(start))) start++;
  while (end > start && isBlank(line.charCodeAt(end - 1))) end--;
  return line.slice(start, end);
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09;
