/** Identifies the caller of the admin API and checks its permissions. */
import { type Endpoint, isAdministrative } from "../../contract/endpoint.ts";
import { AppError } from "../../contract/errors.ts";
import { PERMISSIONS } from "../../contract/roles.ts";
import { signIn } from "../../contract/session.ts";
import type { Deps } from "../../deps.ts";
import { hashSecret } from "../../lib/crypto/secrets.ts";
import type { Actor } from "../../route.ts";
import { findSessionCredential, findValidToken, rejectForeignForm } from "./session.ts";

const ANONYMOUS: Actor = {
  id: null,
  name: "anonymous",
  role: "viewer",
  gateway_ids: [],
  principal_sub: null,
  credential: null,
};

export function authenticate(
  deps: Deps,
  endpoint: Pick<Endpoint, "auth" | "name">,
  request: Request,
  params: Record<string, string>,
): Actor {
  // Login CSRF: another site could sign a person in under its own token and read what they save.
  if (endpoint.name === signIn.name) rejectForeignForm(request);
  if (!isAdministrative(endpoint.auth)) return ANONYMOUS;
  const actor = actorOf(deps, request);
  if (!PERMISSIONS[actor.role].includes(endpoint.auth)) {
    throw new AppError(
      "forbidden",
      `The role "${actor.role}" of this token lacks the permission "${endpoint.auth}".`,
    );
  }
  const { gateway_ids } = actor;
  if (!gateway_ids) return actor;
  // A token for some gateways must not read or change what applies to others.
  if (params.gateway_id === undefined && !OPEN_TO_LIMITED.has(endpoint.name)) {
    throw new AppError(
      "forbidden",
      "This applies to all gateways, and this token is limited to some. Use an unlimited token.",
    );
  }
  if (params.gateway_id !== undefined && !gateway_ids.includes(params.gateway_id)) {
    throw new AppError("forbidden", "This token is limited to other gateways.");
  }
  return actor;
}

/** Endpoints without a gateway in the path that limited tokens may call: the same for all, or filtered by the operation. */
const OPEN_TO_LIMITED: ReadonlySet<string> = new Set([
  "list_gateways",
  "list_plugins",
  "list_registry_kinds",
  "list_detector_catalog",
  "list_audit",
  "list_audit_actors",
  "export_audit",
  "stream_changes",
  "list_inbox",
  "who_am_i",
  "sign_out",
]);

function actorOf(deps: Deps, request: Request): Actor {
  const header = request.headers.get("authorization")?.trim();
  const credential = header
    ? { token_hash: hashSecret(header.replace(/^Bearer\s+/i, "")), session_id: null }
    : findSessionCredential(deps, request);
  const token = credential && findValidToken(deps, credential.token_hash);
  if (token) {
    deps.markUsed("admin_tokens", token.id);
    return { ...token, credential };
  }
  throw new AppError(
    "unauthorized",
    header
      ? "This administrator token is unknown, expired or revoked."
      : "Send an administrator token: Authorization: Bearer <token>.",
  );
}
