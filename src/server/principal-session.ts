/** A principal in a browser: a sealed cookie that holds their token, so that a revoked one ends it at once. */
import { AppError } from "../contract/errors.ts";
import type { Deps } from "../deps.ts";
import { type SealContext, seal, unseal } from "../lib/seal.ts";
import { identifyPrincipal, type Principal } from "../mcp-store/identify-principal.ts";

const COOKIE = "portcullis_principal";
const CONTEXT: SealContext = { purpose: "principal session", id: "" };
const LIFE_S = 1800;
/** Browsers drop longer cookies without a word; sealing adds a third. */
const MOST_CHARACTERS = 2800;

/** The Set-Cookie header that signs this token's principal in. */
export async function signedIn(deps: Deps, token: string, origin: string): Promise<string> {
  await identifyPrincipal(deps, token);
  if (token.length > MOST_CHARACTERS) {
    throw new AppError(
      "invalid_request",
      "This token is too long for a browser: use a personal one.",
    );
  }
  const ends = deps.now().getTime() + LIFE_S * 1000;
  const value = seal(deps.keyring(), CONTEXT, JSON.stringify({ token, ends }));
  // Lax: it must come along when an authorization server sends the browser back.
  const secure = origin.startsWith("https:") ? "; Secure" : "";
  return `${COOKIE}=${value}; Max-Age=${LIFE_S}; Path=/; HttpOnly; SameSite=Lax${secure}`;
}

/** Undefined: nobody is signed in, or no longer. */
export async function principalIn(deps: Deps, request: Request): Promise<Principal | undefined> {
  const cookies = request.headers.get("cookie") ?? "";
  const value = new RegExp(`(?:^|; )${COOKIE}=([^;]+)`).exec(cookies)?.[1];
  const opened = value && unseal(deps.keyring(), CONTEXT, value);
  if (!opened) return undefined;
  const { token, ends } = JSON.parse(opened) as { token: string; ends: number };
  if (ends <= deps.now().getTime()) return undefined;
  try {
    return await identifyPrincipal(deps, token);
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.code === "unauthorized") return undefined;
    throw thrown;
  }
}
