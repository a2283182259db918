/** Requests access tokens of Microsoft Entra. */
import type { AzureAuth } from "../contract/gateway/cloud-auth.ts";
import { credentialError, type IssuerHost, readCredentialFile } from "./call-issuer.ts";
import type { IssuedCredential } from "./credential-cache.ts";
import { readAccessToken } from "./read-access-token.ts";

const ENTRA = "Microsoft Entra";
const PUBLIC_AUTHORITY = "https://login.microsoftonline.com";

export async function requestAzureToken(
  host: IssuerHost,
  auth: AzureAuth,
): Promise<IssuedCredential<string>> {
  if (auth.source === "managed_identity") return await requestManagedToken(host, auth);
  const { env } = host;
  const isWorkload = auth.source === "workload_identity";
  const tenant_id = auth.tenant_id ?? (isWorkload ? env.AZURE_TENANT_ID : undefined);
  const client_id = auth.client_id ?? (isWorkload ? env.AZURE_CLIENT_ID : undefined);
  const given = isWorkload && !auth.authority_host ? env.AZURE_AUTHORITY_HOST : undefined;
  const authority = auth.authority_host ?? given ?? PUBLIC_AUTHORITY;
  if (!tenant_id || !client_id) {
    throw credentialError(
      "The workload identity of Azure has no tenant or client. Set AZURE_TENANT_ID and AZURE_CLIENT_ID, or tenant_id and client_id.",
    );
  }
  const response = await host.call({
    issuer: ENTRA,
    method: "POST",
    url: `${authority.replace(/\/+$/, "")}/${encodeURIComponent(tenant_id)}/oauth2/v2.0/token`,
    body: {
      grant_type: "client_credentials",
      client_id,
      scope: auth.scope,
      ...(isWorkload ? await readAssertion(host) : { client_secret: auth.client_secret ?? "" }),
    },
    is_local: given !== undefined,
  });
  return readAccessToken(ENTRA, response, host.now());
}

/** The token file is mounted by Kubernetes, which renews it. */
async function readAssertion({ env }: IssuerHost): Promise<Record<string, string>> {
  const file = env.AZURE_FEDERATED_TOKEN_FILE;
  if (!file) {
    throw credentialError(
      "AZURE_FEDERATED_TOKEN_FILE is not set. Enable workload identity for the service account of this pod.",
    );
  }
  return {
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: await readCredentialFile(file, "AZURE_FEDERATED_TOKEN_FILE"),
  };
}

/** The endpoint of App Service and Container Apps if the environment has one, otherwise that of a virtual machine. */
async function requestManagedToken(
  host: IssuerHost,
  { client_id, scope }: AzureAuth,
): Promise<IssuedCredential<string>> {
  const { env } = host;
  const { IDENTITY_ENDPOINT: endpoint, IDENTITY_HEADER: secret } = env;
  const isAppService = endpoint !== undefined && secret !== undefined;
  const base = env.AZURE_POD_IDENTITY_AUTHORITY_HOST ?? "http://169.254.169.254";
  const url = new URL(
    isAppService ? endpoint : `${base.replace(/\/+$/, "")}/metadata/identity/oauth2/token`,
  );
  url.searchParams.set("api-version", isAppService ? "2019-08-01" : "2018-02-01");
  url.searchParams.set("resource", scope.replace(/\/\.default$/, ""));
  if (client_id !== undefined) url.searchParams.set("client_id", client_id);
  const issuer = "The managed identity endpoint of Azure";
  const headers: Record<string, string> = isAppService
    ? { "x-identity-header": secret }
    : { metadata: "true" };
  const response = await host.call({ issuer, url: url.href, headers, is_local: true });
  return readAccessToken(issuer, response, host.now());
}
