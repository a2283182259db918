/** Parses the header block of an HTTP/1.1 response strictly, so that two responses cannot be mixed up. */

export interface HeaderBlock {
  status: number;
  headers: ReplyHeaders;
  framing: Framing;
  /** The connection can be reused after this response. */
  reusable: boolean;
}

/** Headers by lower-case name; `get` joins repeated headers with commas, `entries` returns each of them. */
export interface ReplyHeaders {
  get: (name: string) => string | undefined;
  entries: () => Iterable<[name: string, value: string]>;
}

/** Event streams are forwarded event by event. */
export const isEventStream = (headers: ReplyHeaders): boolean =>
  /^text\/event-stream/i.test(headers.get("content-type") ?? "");

/** Framing of a body: by length, chunked, or until the connection closes. */
export type Framing = { kind: "length"; length: number } | { kind: "chunked" } | { kind: "close" };

/** Matches a complete header block: a status line, then lines of name, colon and value. */
const HEADER_BLOCK =
  /^HTTP\/1\.[01] [1-9][0-9]{2}(?: [\t\x20-\x7e\x80-\xff]*)?(?:\r\n[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*)*$/;
const LENGTH = /^[0-9]{1,15}$/;

/** Parses the text before the empty line. Returns undefined if it is invalid. */
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
  // RFC 9112 section 6.1: chunks with a length or in HTTP/1.0 are invalid; a forbidden body may still arrive.
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

/** Finds headers on demand: only four or five are needed. */
function createHeaders(text: string): ReplyHeaders {
  const lower = text.toLowerCase(); // same length, because the text is Latin-1
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
    entries() {
      const found: [string, string][] = [];
      for (let line = findLineEnd(text, 0) + 2; line < text.length; ) {
        const end = findLineEnd(text, line);
        const colon = text.indexOf(":", line);
        found.push([lower.slice(line, colon), trimBlanks(text, colon + 1, end)]);
        line = end + 2;
      }
      return found;
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

/** Removes surrounding spaces and tabs; `trim` would remove other characters too. */
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
