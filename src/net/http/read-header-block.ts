/** Reads the head of an HTTP/1.1 answer, strictly: who is wrong about where an answer ends mixes up two answers. */

export interface HeaderBlock {
  status: number;
  headers: ReplyHeaders;
  framing: Framing;
  /** The connection can carry another request after this answer. */
  reusable: boolean;
}

/** By names in lower case; what came several times is joined by commas. */
export interface ReplyHeaders {
  get: (name: string) => string | undefined;
}

/** Each event is passed on as it comes. */
export const isEventStream = (headers: ReplyHeaders): boolean =>
  /^text\/event-stream/i.test(headers.get("content-type") ?? "");

/** How the end of a body is told: by its length, by itself, or by the end of the connection. */
export type Framing = { kind: "length"; length: number } | { kind: "chunked" } | { kind: "close" };

/** The whole of it at once: a status line, then lines of a name, a colon and a value. */
const HEADER_BLOCK =
  /^HTTP\/1\.[01] [1-9][0-9]{2}(?: [\t\x20-\x7e\x80-\xff]*)?(?:\r\n[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*)*$/;
const LENGTH = /^[0-9]{1,15}$/;

/** `text`: all before the empty line. Undefined when it is no proper head. */
export function readHeaderBlock(text: string, method: string): HeaderBlock | undefined {
  if (!HEADER_BLOCK.test(text)) return undefined;
  const status = Number(text.slice(STATUS_OFFSET, STATUS_OFFSET + 3));
  const headers = createHeaders(text);
  const bodiless = method === "HEAD" || status < 200 || status === NO_CONTENT || status === 304;
  const encoding = headers.get("transfer-encoding");
  const length = headers.get("content-length");
  const framing = bodiless ? EMPTY_BODY : readFraming(encoding, length);
  if (!framing) return undefined;
  const minor = text[MINOR_VERSION_OFFSET];
  const chunked = encoding !== undefined;
  const sized = length !== undefined;
  // RFC 9112 6.1: chunks beside a length or in HTTP/1.0. A body that must not be there may come all the same.
  const ambiguous =
    (chunked && (sized || minor === "0")) || (status === NO_CONTENT && (chunked || sized));
  const reusable =
    framing.kind !== "close" && !ambiguous && staysOpen(minor, headers.get("connection"));
  return { status, headers, framing, reusable };
}

const MINOR_VERSION_OFFSET = "HTTP/1.".length;
const STATUS_OFFSET = "HTTP/1.1 ".length;
const NO_CONTENT = 204;
const EMPTY_BODY: Framing = { kind: "length", length: 0 };

/** Looked up when asked for: four or five lines of a head are of interest, whatever its length. */
function createHeaders(text: string): ReplyHeaders {
  const lower = text.toLowerCase(); // as long as it was: these are single bytes
  return {
    get(name) {
      let joined: string | undefined;
      for (let at = lower.indexOf(name); at >= 0; at = lower.indexOf(name, at + 1)) {
        const from = at + name.length;
        if (lower[at - 1] !== "\n" || lower[from] !== ":") continue;
        const value = trimBlanks(text, from + 1, findLineEnd(text, from));
        joined = joined === undefined ? value : `${joined}, ${value}`;
      }
      return joined;
    },
  };
}

function readFraming(
  encoding: string | undefined,
  length: string | undefined,
): Framing | undefined {
  if (encoding !== undefined) {
    return encoding.toLowerCase() === "chunked" ? { kind: "chunked" } : undefined;
  }
  if (length === undefined) return { kind: "close" };
  return LENGTH.test(length) ? { kind: "length", length: Number(length) } : undefined;
}

function staysOpen(minor: string | undefined, connection = ""): boolean {
  const said = connection.toLowerCase();
  return minor === "1" ? !said.includes("close") : said.includes("keep-alive");
}

/** Without the spaces and tabs around it. `trim` would take more than those. */
function trimBlanks(text: string, from: number, to: number): string {
  let start = from;
  let end = to;
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

function findLineEnd(text: string, from: number): number {
  const end = text.indexOf("\r\n", from);
  return end < 0 ? text.length : end;
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09;
