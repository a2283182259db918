/** Finds the address of an AWS service that issues credentials. */
import type { IssuerHost } from "../call-issuer.ts";

const SERVICES = {
  sts: { variable: "AWS_ENDPOINT_URL_STS", host: "sts" },
  sso: { variable: "AWS_ENDPOINT_URL_SSO", host: "portal.sso" },
  sso_oidc: { variable: "AWS_ENDPOINT_URL_SSO_OIDC", host: "oidc" },
};

/** The standard variables of the environment replace the address of the region. */
export function findEndpoint(
  { env }: IssuerHost,
  service: keyof typeof SERVICES,
  region: string,
  path: string,
): { url: string; is_local: boolean } {
  const { variable, host } = SERVICES[service];
  const given = env[variable] ?? env.AWS_ENDPOINT_URL;
  const suffix = region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
  const base = given?.replace(/\/+$/, "") ?? `https://${host}.${region}.${suffix}`;
  return { url: base + path, is_local: given !== undefined };
}
