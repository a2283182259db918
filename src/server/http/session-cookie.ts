/** Writes and reads session cookies with a name that no other site of the domain can set. */

export interface SessionCookieKind {
  name: string;
  same_site: "Lax" | "Strict";
}

/** Browsers accept `__Host-` only from this host: a sibling site cannot replace the session. */
const cookieName = ({ name }: SessionCookieKind, origin: string): string =>
  isSecure(origin) ? `__Host-${name}` : name;

const isSecure = (origin: string): boolean => origin.startsWith("https:");

/** Returns the Set-Cookie header; `origin` is the public origin of this program. */
export function setCookie(
  kind: SessionCookieKind,
  origin: string,
  { value, seconds }: { value: string; seconds: number },
): string {
  const secure = isSecure(origin) ? "; Secure" : "";
  return `${cookieName(kind, origin)}=${value}; Max-Age=${seconds}; Path=/; HttpOnly; SameSite=${kind.same_site}${secure}`;
}

/** Returns the value in a Cookie header. */
export const readCookie = (
  kind: SessionCookieKind,
  origin: string,
  cookies: string,
): string | undefined =>
  new RegExp(`(?:^|; )${cookieName(kind, origin)}=([^;]+)`).exec(cookies)?.[1];
