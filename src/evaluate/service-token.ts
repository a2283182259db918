/** Issues service tokens (`POST /v1/token`), which are valid for 15 minutes, and verifies them. */
import type { z } from "zod";
import { AppError } from "../contract/errors.ts";
import { type IssuedToken, issueServiceToken } from "../contract/guard/collector-keys.ts";
import type { Deps } from "../deps.ts";
import { type SealContext, seal, unseal } from "../lib/crypto/seal.ts";
import { hashSecret } from "../lib/crypto/secrets.ts";
import { type Route, route } from "../route.ts";
import type { CollectorKeyView } from "../snapshot/snapshot.ts";
import { checkActive } from "./check-active.ts";

/** Prefix of every service token. */
export const SERVICE_TOKEN = "pt_";
const TOKEN_LIFETIME_S = 900;
export const SERVICE_TOKEN_CONTEXT: SealContext = { purpose: "service token", id: "" };

export const serviceTokenRoute: Route = route(
  issueServiceToken,
  (deps, { body }): z.infer<typeof IssuedToken> => {
    const client = deps.snapshot().serviceClients.get(body.client_id);
    // Compares hashes, so that timing reveals nothing about the secret.
    if (!client || client.hash !== hashSecret(body.client_secret)) {
      throw new AppError("unauthorized", "client_id or client_secret is incorrect.");
    }
    checkActive(deps, client, "service client");
    deps.markUsed("service_clients", client.id);
    const ends = deps.now().getTime() + TOKEN_LIFETIME_S * 1000;
    // Sealed instead of stored: only nodes of this installation can read it.
    const plain = JSON.stringify({ client_id: client.id, ends });
    const sealed = seal(deps.keyring(), SERVICE_TOKEN_CONTEXT, plain);
    const access_token = SERVICE_TOKEN + Buffer.from(sealed).toString("base64url");
    return { access_token, token_type: "Bearer", expires_in: TOKEN_LIFETIME_S };
  },
);

/** Returns undefined when the token is invalid or has expired. */
export function findServiceClient(deps: Deps, token: string): CollectorKeyView | undefined {
  const sealed = Buffer.from(token.slice(SERVICE_TOKEN.length), "base64url").toString("utf8");
  const plain = unseal(deps.keyring(), SERVICE_TOKEN_CONTEXT, sealed);
  if (plain === undefined) return undefined;
  const { client_id, ends }: { client_id: string; ends: number } = JSON.parse(plain);
  if (ends <= deps.now().getTime()) return undefined;
  return deps.snapshot().serviceClients.get(client_id);
}
