/** Writes and reads session cookies under a name that no other site of the domain can set. */

export interface SessionCookieKind {
  name: string;
  same_site: "Lax" | "Strict";
}

/** Browsers take `__Host-` from this host alone: a sibling site cannot sign a person in as somebody else. */
const nameAt = ({ name }: SessionCookieKind, origin: string): string =>
  isSecure(origin) ? `__Host-${name}` : name;

const isSecure = (origin: string): boolean => origin.startsWith("https:");

/** Returns the Set-Cookie header; `origin` is where browsers reach this program. */
export function setCookie(
  kind: SessionCookieKind,
  origin: string,
  { value, seconds }: { value: string; seconds: number },
): string {
  const secure = isSecure(origin) ? "; Secure" : "";
  return `${nameAt(kind, origin)}=${value}; Max-Age=${seconds}; Path=/; HttpOnly; SameSite=${kind.same_site}${secure}`;
}

/** Returns the value in a Cookie header. */
export const readCookie = (
  kind: SessionCookieKind,
  origin: string,
  cookies: string,
): string | undefined => new RegExp(`(?:^|; )${nameAt(kind, origin)}=([^;]+)`).exec(cookies)?.[1];
