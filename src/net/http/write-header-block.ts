/** Writes the header block of a request; no value can end a line or start another request. */
import { AppError } from "../../contract/errors.ts";

export interface RequestLine {
  method: string;
  /** Path and query. */
  path: string;
}

const METHOD = /^[A-Z]+$/;
const NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
const INVALID_VALUE_CHARACTER = /[^\t\x20-\x7e\x80-\xff]/;

/** Returns whether a header can contain the text. */
export const isHeaderValue = (text: string): boolean => !INVALID_VALUE_CHARACTER.test(text);

export function writeHeaderBlock(
  { method, path }: RequestLine,
  headers: Readonly<Record<string, string>>,
): string {
  if (!METHOD.test(method)) throw new AppError("invalid_request", "Unsupported method.");
  let head = `${method} ${path} HTTP/1.1\r\n`;
  for (const name in headers) {
    const value = headers[name] ?? "";
    if (!NAME.test(name) || !isHeaderValue(value)) {
      throw new AppError("invalid_request", `The header ${JSON.stringify(name)} is invalid.`);
    }
    head += `${name}: ${value}\r\n`;
  }
  return `${head}\r\n`;
}

/** Matches a path that a URL parser would not change; others are parsed. */
const PLAIN_TARGET = /^(?:\/(?!\.|%2e)[\w.~!$&'()*+,;=:@%-]*)+(?:\?[\w.~!$&()*+,;=:@%/?-]*)?$/i;

/** Returns the request target. */
export function toRequestTarget(url: string, originLength: number): string {
  const path = url.slice(originLength);
  if (PLAIN_TARGET.test(path)) return path;
  const { pathname, search } = new URL(url);
  return pathname + search;
}
