/** The console's session: a sealed cookie that names a token. Nothing is stored, and a revoked token ends it. */
import { AppError } from "../contract/errors.ts";
import { PERMISSIONS } from "../contract/roles.ts";
import {
  CSRF_HEADER,
  SESSION_COOKIE,
  signIn,
  signOut,
  type WhoAmI,
  whoAmI,
} from "../contract/session.ts";
import type { Deps } from "../deps.ts";
import { type SealContext, seal, unseal } from "../lib/seal.ts";
import { secretHash } from "../lib/secret-hash.ts";
import { type Actor, type Route, route } from "../route.ts";
import type { TokenView } from "../snapshot/snapshot.ts";

const LIFE_S = 12 * 3600;
const CONTEXT: SealContext = { purpose: "console session", id: "" };

export const sessionRoutes: Route[] = [
  route(whoAmI, (_, { actor }) => shown(actor)),
  route(signIn, (deps, { body, origin, reply_headers }) => {
    const hash = secretHash(body.token.trim());
    const token = liveToken(deps, hash);
    if (!token)
      throw new AppError(
        "unauthorized",
        "This administrator token is unknown, expired or revoked.",
      );
    const ends = deps.now().getTime() + LIFE_S * 1000;
    const sealed = seal(deps.keyring(), CONTEXT, JSON.stringify({ hash, ends }));
    reply_headers["set-cookie"] = cookie(sealed, LIFE_S, origin);
    return shown(token);
  }),
  route(signOut, (_, { origin, reply_headers }) => {
    reply_headers["set-cookie"] = cookie("", 0, origin);
    return undefined;
  }),
];

/** Whom the cookie stands for; undefined when there is none or it no longer counts. */
export function sessionToken(deps: Deps, request: Request): TokenView | undefined {
  const value = new RegExp(`(?:^|; )${SESSION_COOKIE}=([^;]+)`).exec(
    request.headers.get("cookie") ?? "",
  )?.[1];
  const opened = value && unseal(deps.keyring(), CONTEXT, value);
  if (!opened) return undefined;
  const { hash, ends } = JSON.parse(opened) as { hash: string; ends: number };
  if (ends <= deps.now().getTime()) return undefined;
  // Another site can make a browser send the cookie, but not this header.
  if (request.method !== "GET" && request.method !== "HEAD" && !request.headers.has(CSRF_HEADER)) {
    throw new AppError(
      "forbidden",
      `A call with the session cookie needs the header ${CSRF_HEADER}.`,
    );
  }
  return liveToken(deps, hash);
}

export function liveToken(deps: Deps, hash: string): TokenView | undefined {
  const token = deps.snapshot().tokensByHash.get(hash);
  return token && token.expires_at > deps.now().getTime() ? token : undefined;
}

/** Only browsers name an origin, and a form of another site cannot send the header beside it. */
export function refuseForms({ headers }: Request): void {
  if (!headers.has("origin") || headers.has(CSRF_HEADER)) return;
  throw new AppError("forbidden", `A page that signs in needs the header ${CSRF_HEADER}.`);
}

const cookie = (value: string, seconds: number, origin: string): string => {
  const secure = origin.startsWith("https:") ? "; Secure" : "";
  return `${SESSION_COOKIE}=${value}; Max-Age=${seconds}; Path=/; HttpOnly; SameSite=Strict${secure}`;
};

const shown = ({ name, role, gateway_ids }: Actor): WhoAmI => ({
  name,
  role,
  gateway_ids: gateway_ids ? [...gateway_ids] : null,
  permissions: [...PERMISSIONS[role]],
});
