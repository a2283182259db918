/** Identifies the caller of an evaluation by its secret, before the body is read. */
import { AppError } from "../contract/errors.ts";
import { PERMISSIONS } from "../contract/roles.ts";
import type { Deps } from "../deps.ts";
import { hashSecret } from "../lib/crypto/secrets.ts";
import { COLLECTOR_TOKEN, openCollectorToken } from "../snapshot/playground-token.ts";
import type { CollectorView } from "../snapshot/snapshot.ts";
import { checkActive } from "./check-active.ts";
import { findServiceClient, SERVICE_TOKEN } from "./service-token.ts";
import type { EvaluationFormat } from "./stages.ts";

export type Caller =
  | {
      kind: "collector";
      collector: CollectorView;
      /** Id of the key or personal token; in the playground, of the administrator's token. */
      credential_id?: string | undefined;
    }
  | { kind: "client"; collector: CollectorView; credential_id: string }
  | { kind: "administrator"; token_id: string; gateway_ids: readonly string[] | null };

/** Returns the id of the collector or the token that evaluations of a caller belong to. */
export const ownerOf = (caller: Caller): string =>
  caller.kind === "administrator" ? caller.token_id : caller.collector.id;

/** Returns the Bearer secret, or an empty text. LiteLLM sends its `api_key` as x-api-key. */
export function readSecret({ headers }: Request, format: EvaluationFormat = "evaluate"): string {
  const key = format === "litellm" ? headers.get("x-api-key") : null;
  const authorization = headers.get("authorization") ?? "";
  return key ?? /^Bearer\s+(\S+)\s*$/i.exec(authorization)?.[1] ?? "";
}

export function identifyCaller(deps: Deps, secret: string): Caller {
  if (secret === "") {
    throw new AppError("unauthorized", "Send a collector key: Authorization: Bearer <key>.");
  }
  if (secret.startsWith(SERVICE_TOKEN)) return identifyServiceClient(deps, secret);
  if (secret.startsWith(COLLECTOR_TOKEN)) return identifyPlayground(deps, secret);
  const { collectorKeysByHash, tokensByHash } = deps.snapshot();
  const hash = hashSecret(secret);
  const key = collectorKeysByHash.get(hash);
  if (key) {
    checkActive(deps, key, "collector key");
    deps.markUsed("collector_keys", key.id);
    return { kind: "collector", collector: key.collector, credential_id: key.id };
  }
  const token = tokensByHash.get(hash);
  const isActive = token && token.expires_at > deps.now().getTime();
  if (isActive && PERMISSIONS[token.role].includes("write")) {
    deps.markUsed("admin_tokens", token.id);
    return { kind: "administrator", token_id: token.id, gateway_ids: token.gateway_ids };
  }
  const text = "Unknown collector key. Create one under Collectors > Auth.";
  throw new AppError("unauthorized", text);
}

function identifyServiceClient(deps: Deps, token: string): Caller {
  const client = findServiceClient(deps, token);
  if (!client) {
    const text = "The service token is invalid or has expired. Request a new one: POST /v1/token.";
    throw new AppError("unauthorized", text);
  }
  checkActive(deps, client, "service client");
  return { kind: "client", collector: client.collector, credential_id: client.id };
}

function identifyPlayground(deps: Deps, token: string): Caller {
  const use = { keyring: deps.keyring(), snapshot: deps.snapshot(), at: deps.now() };
  const opened = openCollectorToken(use, token);
  if (opened) {
    return { kind: "collector", collector: opened.collector, credential_id: opened.token_id };
  }
  throw new AppError("unauthorized", "The playground token is invalid or has expired.");
}
