/** Which address was asked for. HTTP/1.0 names no host, and a client may name one that is none: the path counts all the same. */

export function parseRequestUrl({ url }: Request): URL {
  return URL.parse(url, NO_HOST) ?? new URL(url.replace(/^https?:\/\/[^/]*/, ""), NO_HOST);
}

const NO_HOST = "http://localhost";
