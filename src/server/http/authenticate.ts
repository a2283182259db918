/** Who is calling the admin API, and whether they may make this call. */
import { type Endpoint, isAdministrative } from "../../contract/endpoint.ts";
import { AppError } from "../../contract/errors.ts";
import { PERMISSIONS } from "../../contract/roles.ts";
import { signIn } from "../../contract/session.ts";
import type { Deps } from "../../deps.ts";
import { hashSecret } from "../../lib/crypto/secrets.ts";
import type { Actor } from "../../route.ts";
import { findSessionToken, findValidToken, rejectForeignForm } from "./session.ts";

const NOBODY: Actor = {
  id: null,
  name: "anonymous",
  role: "viewer",
  gateway_ids: [],
  principal_sub: null,
};

export function authenticate(
  deps: Deps,
  endpoint: Pick<Endpoint, "auth" | "name">,
  request: Request,
  params: Record<string, string>,
): Actor {
  // Signed in as somebody else by another site, a person would save secrets where that one reads them.
  if (endpoint.name === signIn.name) rejectForeignForm(request);
  if (!isAdministrative(endpoint.auth)) return NOBODY;
  const actor = actorOf(deps, request);
  if (!PERMISSIONS[actor.role].includes(endpoint.auth)) {
    throw new AppError(
      "forbidden",
      `The role "${actor.role}" of this token may not do this: it needs the permission "${endpoint.auth}".`,
    );
  }
  const { gateway_ids } = actor;
  if (!gateway_ids) return actor;
  // A token for some gateways must not make one for all, nor read or change what judges for the others.
  if (params.gateway_id === undefined && !LIMITED_TOO.has(endpoint.name)) {
    throw new AppError(
      "forbidden",
      "This concerns all gateways, and this token is limited to some. Use one that is not.",
    );
  }
  if (params.gateway_id !== undefined && !gateway_ids.includes(params.gateway_id)) {
    throw new AppError("forbidden", "This token is limited to other gateways.");
  }
  return actor;
}

/** Their paths name no gateway, and they tell what is the same for all, or look at the limit themselves. */
const LIMITED_TOO: ReadonlySet<string> = new Set([
  "list_gateways",
  "list_plugins",
  "list_registry_kinds",
  "list_detector_catalog",
  "list_audit",
  "who_am_i",
  "sign_out",
]);

function actorOf(deps: Deps, request: Request): Actor {
  const header = request.headers.get("authorization")?.trim();
  const token = header
    ? findValidToken(deps, hashSecret(header.replace(/^Bearer\s+/i, "")))
    : findSessionToken(deps, request);
  if (token) {
    deps.markUsed("admin_tokens", token.id);
    return token;
  }
  throw new AppError(
    "unauthorized",
    header
      ? "This administrator token is unknown, expired or revoked."
      : "Send an administrator token: Authorization: Bearer <token>.",
  );
}
