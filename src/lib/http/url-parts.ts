/** Fills `{placeholders}` of URLs, and finds where the path of a URL starts. */

const PLACEHOLDER = /\{([^{}]{1,64})\}/g;

export const listTemplateNames = (url: string): string[] =>
  [...url.matchAll(PLACEHOLDER)].map(([, name = ""]) => name);

/** Returns the names that determine the origin: those whose value is in the origin. All names if the URL is invalid. */
export function listOriginNames(url: string): string[] {
  const names = [...new Set(listTemplateNames(url))];
  const unused = findUnusedText(url);
  const values = new Map(names.map((name, index) => [name, `${unused}${index}x`]));
  const origin = URL.parse(fillTemplate(url, (name) => values.get(name) ?? ""))?.origin;
  return names.filter((name) => origin?.includes(values.get(name) ?? "") ?? true);
}

/** Returns text that a host may contain and the URL does not. */
function findUnusedText(url: string): string {
  const runs = url.match(/x+/gi) ?? [];
  return "x".repeat(1 + Math.max(0, ...runs.map(({ length }) => length)));
}

/** Values are percent-encoded, so that none can change the path or the query. */
export const fillTemplate = (url: string, valueFor: (name: string) => string): string =>
  url.replace(PLACEHOLDER, (_, name: string) => encodeURIComponent(valueFor(name)));

/** Returns the offset of the path. Parsing with `URL` would cost more than all other steps of a request. */
export const findPathStart = (url: string): number =>
  // HTTP/1.0 without a Host header: the URL is only a path.
  url.charCodeAt(0) === SLASH ? 0 : url.indexOf("/", MIN_ORIGIN_LENGTH);

const SLASH = 0x2f;
const MIN_ORIGIN_LENGTH = "http://a".length;
