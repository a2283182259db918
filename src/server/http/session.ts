/** Session of the console: a sealed cookie with the hash of a token. Ends by sign-out or when the token is revoked. */
import { AppError } from "../../contract/errors.ts";
import { PERMISSIONS } from "../../contract/roles.ts";
import {
  CSRF_HEADER,
  SESSION_COOKIE,
  signIn,
  signOut,
  type WhoAmI,
  whoAmI,
} from "../../contract/session.ts";
import { changeSessions } from "../../db/config-revision.ts";
import type { Db } from "../../db/db.ts";
import { endSession } from "../../db/tables/ended-sessions.ts";
import type { Deps } from "../../deps.ts";
import { type SealContext, seal, unseal } from "../../lib/crypto/seal.ts";
import { hashSecret } from "../../lib/crypto/secrets.ts";
import { type Actor, type Route, route } from "../../route.ts";
import type { AdminCredential, TokenView } from "../../snapshot/snapshot.ts";
import { publicOrigin } from "./public-origin.ts";
import { recordFailedSignIn, recordSession } from "./record-session.ts";
import { readCookie, type SessionCookieKind, setCookie } from "./session-cookie.ts";

const COOKIE: SessionCookieKind = { name: SESSION_COOKIE, same_site: "Strict" };
const LIFETIME_S = 12 * 3600;
const CONTEXT: SealContext = { purpose: "console session", id: "" };

export const sessionRoutes: Route[] = [
  route(whoAmI, (_, { actor }) => toWhoAmI(actor)),
  route(signIn, async (deps, call) => {
    const { body, origin, reply_headers } = call;
    const hash = hashSecret(body.token.trim());
    const token = findValidToken(deps, hash);
    if (!token) {
      await recordFailedSignIn(deps, call, "console");
      throw new AppError(
        "unauthorized",
        "This administrator token is unknown, expired or revoked.",
      );
    }
    if (!deps.allowSession(deps.now(), token.id)) {
      throw new AppError(
        "rate_limited",
        "This token has signed in too often. Try again in a minute. Programs send the token instead of a cookie.",
      );
    }
    // Otherwise a copy of the cookie that is replaced would remain valid after the sign-out.
    const replaced = sessionOf(deps, origin, call.cookies);
    if (replaced) await changeSessions(deps.db, (db) => recordEnd(db, replaced));
    const ends = deps.now().getTime() + LIFETIME_S * 1000;
    const session: SessionCookie = { session_id: deps.newId(), hash, ends };
    await recordSession(deps, { ...call, actor: token }, "sign_in", {
      id: session.session_id,
      name: "console",
      gateway_id: null,
    });
    const sealed = seal(deps.keyring(), CONTEXT, JSON.stringify(session));
    reply_headers["set-cookie"] = setCookie(COOKIE, origin, { value: sealed, seconds: LIFETIME_S });
    return toWhoAmI(token);
  }),
  route(signOut, async (deps, call) => {
    const { cookies, origin, reply_headers } = call;
    const session = sessionOf(deps, origin, cookies);
    // Thrown, so that nothing is reloaded.
    if (!session)
      throw new AppError(
        "invalid_request",
        "Send the session cookie: it identifies the session to end.",
      );
    const { session_id: id } = session;
    await recordEnd(deps.db, session);
    await recordSession(deps, call, "sign_out", { id, name: "console", gateway_id: null });
    reply_headers["set-cookie"] = setCookie(COOKIE, origin, { value: "", seconds: 0 });
    return undefined;
  }),
];

interface SessionCookie {
  session_id: string;
  /** Hash of the token. */
  hash: string;
  ends: number;
}

const recordEnd = (db: Db, { session_id: id, ends }: SessionCookie): Promise<void> =>
  endSession(db, { id, kind: "console", expires_at: new Date(ends).toISOString() });

/** Returns undefined when there is no session, or it has ended. */
function sessionOf(deps: Deps, origin: string, cookies: string): SessionCookie | undefined {
  const value = readCookie(COOKIE, origin, cookies);
  const opened = value && unseal(deps.keyring(), CONTEXT, value);
  if (!opened) return undefined;
  const session: SessionCookie = JSON.parse(opened);
  const ended =
    session.ends <= deps.now().getTime() || deps.snapshot().endedSessions.has(session.session_id);
  return ended ? undefined : session;
}

/** Returns undefined when there is no session, or it has ended. Its token may be invalid. */
export function findSessionCredential(deps: Deps, request: Request): AdminCredential | undefined {
  const cookies = request.headers.get("cookie");
  const session =
    cookies === null ? undefined : sessionOf(deps, publicOrigin(deps, request), cookies);
  if (!session) return undefined;
  // CSRF: another site can make a browser send the cookie, but not this header.
  if (request.method !== "GET" && request.method !== "HEAD" && !request.headers.has(CSRF_HEADER)) {
    throw new AppError(
      "forbidden",
      `A request with the session cookie requires the header ${CSRF_HEADER}.`,
    );
  }
  return { token_hash: session.hash, session_id: session.session_id };
}

export function findValidToken(deps: Deps, hash: string): TokenView | undefined {
  const token = deps.snapshot().tokensByHash.get(hash);
  return token && token.expires_at > deps.now().getTime() ? token : undefined;
}

/** Rejects a sign-in by a form of another site: it sends an Origin, and cannot add the header. */
export function rejectForeignForm({ headers }: Request): void {
  if (!headers.has("origin") || headers.has(CSRF_HEADER)) return;
  throw new AppError("forbidden", `A sign-in from a page requires the header ${CSRF_HEADER}.`);
}

const toWhoAmI = ({ name, role, gateway_ids }: Omit<Actor, "credential">): WhoAmI => ({
  name,
  role,
  gateway_ids: gateway_ids ? [...gateway_ids] : null,
  permissions: [...PERMISSIONS[role]],
});
