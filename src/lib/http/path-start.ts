/** Where does the path begin in the address of a request? Parsing it with `URL` costs more than a request's other steps. */
export const pathStart = (url: string): number =>
  // A client of HTTP/1.0 names no host: all of it is path then.
  url.charCodeAt(0) === SLASH ? 0 : url.indexOf("/", SHORTEST_ORIGIN);

const SLASH = 0x2f;
const SHORTEST_ORIGIN = "http://a".length;
