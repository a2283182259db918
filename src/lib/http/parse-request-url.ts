/** Parses the URL of a request, also when its host is missing (HTTP/1.0) or invalid. */

export function parseRequestUrl({ url }: Request): URL {
  return URL.parse(url, NO_HOST) ?? new URL(NO_HOST + url.replace(/^https?:\/\/[^/]*/, ""));
}

const NO_HOST = "http://localhost";
