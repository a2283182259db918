/** Adds the credential of a cloud identity to a request, from a cache per identity. */
import type { AwsAuth } from "../contract/gateway/cloud-auth.ts";
import { createLruCache } from "../lib/lru-cache.ts";
import type { OutboundRequest, Send } from "../net/send.ts";
import type { Upstream } from "../providers/provider.ts";
import { requestDefaultKeys } from "./aws/default-chain.ts";
import { assumeRole } from "./aws/request-keys.ts";
import { type AwsKeys, signRequest } from "./aws/sign-request.ts";
import { type AwsHost, createTokenReader } from "./aws/stored-token.ts";
import { requestAzureToken } from "./azure-token.ts";
import { type CallingRegistry, createIssuerCall, type IssuerHost } from "./call-issuer.ts";
import { type CacheOptions, cacheCredential, type IssuedCredential } from "./credential-cache.ts";
import { requestGoogleToken } from "./google-token.ts";

export interface Credentials {
  /** Waits only when no valid credential is cached. Throws `provider_credential_error`. */
  authorize: (registry: AuthorizedRegistry, request: OutboundRequest) => Promise<void>;
}

export interface AuthorizedRegistry extends CallingRegistry {
  upstream: Upstream;
}

type Authorize = (request: OutboundRequest) => Promise<void>;

export interface CredentialsOptions extends Pick<IssuerHost, "env" | "now"> {
  send: Send;
  log: (event: string, fields: Record<string, unknown>) => void;
}

const MAX_IDENTITIES = 1000;

export function createCredentials({ env, now, send, log }: CredentialsOptions): Credentials {
  // By identity, so that registries share credentials and a configuration change keeps them.
  const sources = createLruCache<Authorize>(MAX_IDENTITIES);
  const sourceOf = new WeakMap<Upstream, Authorize>();
  const readStoredToken = createTokenReader();

  function findSource(registry: AuthorizedRegistry): Authorize {
    const { upstream, allow_private, egress } = registry;
    const { identity, options } = upstream;
    const key = JSON.stringify([identity, options.region, allow_private, egress]);
    let source = sources.get(key);
    if (!source) {
      const onRenewalFailure = (error: unknown) =>
        log("credential_not_renewed", { level: "warn", type: identity?.type, error });
      const call = createIssuerCall(send, registry);
      source = createSource({ env, now, call, readStoredToken, onRenewalFailure }, upstream);
      sources.set(key, source);
    }
    return source;
  }

  return {
    authorize(registry, request) {
      let source = sourceOf.get(registry.upstream);
      if (!source) {
        source = findSource(registry);
        sourceOf.set(registry.upstream, source);
      }
      return source(request);
    },
  };
}

type SourceHost = AwsHost & CacheOptions;

function createSource(host: SourceHost, { identity, options }: Upstream): Authorize {
  switch (identity?.type) {
    case "aws":
      return createSigner(host, identity, identity.region ?? String(options.region));
    case "azure":
      return createBearer(host, () => requestAzureToken(host, identity));
    case "gcp_service_account":
      return createBearer(host, () => requestGoogleToken(host, identity));
    default:
      throw new Error("The registry has no cloud identity.");
  }
}

function createBearer(host: SourceHost, load: () => Promise<IssuedCredential<string>>): Authorize {
  const token = cacheCredential(load, host);
  return async ({ headers }) => {
    headers.authorization = `Bearer ${await token()}`;
  };
}

function createSigner(host: SourceHost, auth: AwsAuth, region: string): Authorize {
  const { role_arn, session_name, external_id } = auth;
  const base = cacheCredential(() => requestBaseKeys(host, auth, region), host);
  const role = { role_arn: role_arn ?? "", session_name, external_id };
  const assumed = async () => assumeRole(host, role, await base(), region);
  const keys = role_arn === undefined ? base : cacheCredential(assumed, host);
  const scope = { region, service: "bedrock" };
  return async (request) => signRequest(request, await keys(), scope, host.now());
}

async function requestBaseKeys(
  host: AwsHost,
  auth: AwsAuth,
  region: string,
): Promise<IssuedCredential<AwsKeys>> {
  if (auth.source === "default_chain") return await requestDefaultKeys(host, region);
  // The admin API requires both members.
  const { access_key_id = "", secret_access_key = "", session_token } = auth;
  const value = { access_key_id, secret_access_key, session_token };
  return { value, expires_at: Number.POSITIVE_INFINITY };
}
