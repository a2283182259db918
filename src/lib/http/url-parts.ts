/** Fills `{placeholders}` of URLs, and finds where the path of a URL starts. */

const PLACEHOLDER = /\{([^{}]{1,64})\}/g;

export const listTemplateNames = (url: string): string[] =>
  [...url.matchAll(PLACEHOLDER)].map(([, name = ""]) => name);

/** Returns the names that determine the origin. */
export function listOriginNames(url: string): string[] {
  const originWith = (value: string, at: string) =>
    URL.parse(fillTemplate(url, (name) => (name === at ? value : "x")))?.origin;
  return listTemplateNames(url).filter((name) => originWith("x", name) !== originWith("y", name));
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
