/** An address with `{names}` in it that somebody fills in. */

const PLACEHOLDER = /\{([^{}]{1,64})\}/g;

export const listTemplateNames = (url: string): string[] =>
  [...url.matchAll(PLACEHOLDER)].map(([, name = ""]) => name);

/** The names that decide which host is reached. */
export function listOriginNames(url: string): string[] {
  const originWith = (value: string, at: string) =>
    URL.parse(fillTemplate(url, (name) => (name === at ? value : "x")))?.origin;
  return listTemplateNames(url).filter((name) => originWith("x", name) !== originWith("y", name));
}

/** Values are encoded: one that holds a slash or a question mark leads nowhere else. */
export const fillTemplate = (url: string, valueFor: (name: string) => string): string =>
  url.replace(PLACEHOLDER, (_, name: string) => encodeURIComponent(valueFor(name)));

/** Where does the path begin in the address of a request? Parsing it with `URL` costs more than a request's other steps. */
export const findPathStart = (url: string): number =>
  // A client of HTTP/1.0 names no host: all of it is path then.
  url.charCodeAt(0) === SLASH ? 0 : url.indexOf("/", SHORTEST_ORIGIN);

const SLASH = 0x2f;
const SHORTEST_ORIGIN = "http://a".length;
