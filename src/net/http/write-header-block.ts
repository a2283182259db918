/** The head of a request as it goes out: nothing in it can end a line or start another request. */
import { AppError } from "../../contract/errors.ts";

export interface RequestLine {
  method: string;
  /** Path and query. */
  path: string;
}

const METHOD = /^[A-Z]+$/;
const NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
const INVALID_VALUE_CHARACTER = /[^\t\x20-\x7e\x80-\xff]/;

export function writeHeaderBlock(
  { method, path }: RequestLine,
  headers: Readonly<Record<string, string>>,
): string {
  if (!METHOD.test(method)) throw new AppError("invalid_request", "The method cannot be sent.");
  let head = `${method} ${path} HTTP/1.1\r\n`;
  for (const name in headers) {
    const value = headers[name] ?? "";
    if (!NAME.test(name) || INVALID_VALUE_CHARACTER.test(value)) {
      throw new AppError("invalid_request", `The header ${JSON.stringify(name)} cannot be sent.`);
    }
    head += `${name}: ${value}\r\n`;
  }
  return `${head}\r\n`;
}

/** Nothing that a URL parser would change or drop: the rest is left to one. */
const PLAIN_TARGET = /^(?:\/(?!\.|%2e)[\w.~!$&'()*+,;=:@%-]*)+(?:\?[\w.~!$&()*+,;=:@%/?-]*)?$/i;

/** As it stands in the first line of a request. */
export function toRequestTarget(url: string, originLength: number): string {
  const path = url.slice(originLength);
  if (PLAIN_TARGET.test(path)) return path;
  const { pathname, search } = new URL(url);
  return pathname + search;
}
