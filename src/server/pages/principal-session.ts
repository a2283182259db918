/** Session of a principal in a browser: a sealed cookie with the token. Ends by sign-out or when the token is revoked. */
import { AppError } from "../../contract/errors.ts";
import type { AuditAuthor } from "../../db/record-change.ts";
import { endSession, hasSessionEnded } from "../../db/tables/ended-sessions.ts";
import type { Deps } from "../../deps.ts";
import { type SealContext, seal, unseal } from "../../lib/crypto/seal.ts";
import {
  identifyPrincipal,
  type Principal,
} from "../../mcp-store/principals/identify-principal.ts";
import type { RequestIds } from "../../route.ts";
import { publicOrigin } from "../http/public-origin.ts";
import { recordSession } from "../http/record-session.ts";
import { readCookie, type SessionCookieKind, setCookie } from "../http/session-cookie.ts";

/** Lax: sent when an authorization server redirects the browser back. */
const COOKIE: SessionCookieKind = { name: "portcullis_principal", same_site: "Lax" };
const CONTEXT: SealContext = { purpose: "principal session", id: "" };
const LIFETIME_S = 1800;
/** Browsers silently drop longer cookies; sealing adds a third. */
const MAX_TOKEN_CHARACTERS = 2700;

interface SessionCookie {
  session_id: string;
  token: string;
  ends: number;
}

export interface StartedSession {
  session_id: string;
  principal: Principal;
  /** The Set-Cookie header. */
  cookie: string;
}

/** Starts a session of the principal of this token. It replaces the session of the request, whose cookie ends. */
export async function startPrincipalSession(
  deps: Deps,
  request: Request,
  token: string,
): Promise<StartedSession> {
  const principal = await identifyPrincipal(deps, token);
  if (token.length > MAX_TOKEN_CHARACTERS) {
    throw new AppError(
      "invalid_request",
      "This token is too long for a cookie. Use a personal token.",
    );
  }
  const replaced = sessionOf(deps, request);
  if (replaced) await recordEnd(deps, replaced);
  const ends = deps.now().getTime() + LIFETIME_S * 1000;
  const session_id = deps.newId();
  const session: SessionCookie = { session_id, token, ends };
  const value = seal(deps.keyring(), CONTEXT, JSON.stringify(session));
  const origin = publicOrigin(deps, request);
  const cookie = setCookie(COOKIE, origin, { value, seconds: LIFETIME_S });
  return { session_id, principal, cookie };
}

const recordEnd = ({ db }: Deps, { session_id: id, ends }: SessionCookie): Promise<void> =>
  endSession(db, { id, kind: "principal", expires_at: new Date(ends).toISOString() });

/** Returns the author of changes that a principal makes. */
export const toAuthor = ({ principal_sub }: Principal, ids: RequestIds): AuditAuthor => ({
  actor: { id: null, name: principal_sub },
  ...ids,
});

/** Ends the session on every node, and returns the Set-Cookie header that removes its cookie. */
export async function endPrincipalSession(
  deps: Deps,
  request: Request,
  origin: string,
  ids: RequestIds,
): Promise<string> {
  const session = sessionOf(deps, request);
  // Undefined also if the issuer's keys cannot be fetched.
  const principal = session && (await findSessionPrincipal(deps, request).catch(() => undefined));
  // Even if its token is rejected now: an issuer that is enabled again would accept a copy of the cookie.
  if (session) await recordEnd(deps, session);
  if (principal) {
    const { gateway_id } = principal;
    await recordSession(deps, toAuthor(principal, ids), "sign_out", {
      id: session.session_id,
      name: "Store",
      gateway_id,
    });
  }
  return setCookie(COOKIE, origin, { value: "", seconds: 0 });
}

/** Returns undefined when no principal is signed in, or the session has ended. */
export async function findSessionPrincipal(
  deps: Deps,
  request: Request,
): Promise<Principal | undefined> {
  const session = sessionOf(deps, request);
  // Reads the database, as the lookup of the token does.
  if (!session || (await hasSessionEnded(deps.db, session.session_id))) return undefined;
  try {
    return await identifyPrincipal(deps, session.token);
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.code === "unauthorized") return undefined;
    throw thrown;
  }
}

/** Returns the token of the session. Call it after `principalIn`, which checks it. */
export const readSessionToken = (deps: Deps, request: Request): string | undefined =>
  sessionOf(deps, request)?.token;

function sessionOf(deps: Deps, request: Request): SessionCookie | undefined {
  const cookies = request.headers.get("cookie") ?? "";
  const value = readCookie(COOKIE, publicOrigin(deps, request), cookies);
  const opened = value && unseal(deps.keyring(), CONTEXT, value);
  if (!opened) return undefined;
  const session: SessionCookie = JSON.parse(opened);
  return session.ends > deps.now().getTime() ? session : undefined;
}
