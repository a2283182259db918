/** Finds the address of an AWS service that issues credentials. */
import type { IssuerHost } from "../call-issuer.ts";

const SERVICES = {
  sts: {
    variable: "AWS_ENDPOINT_URL_STS",
    hostOf: (region: string) => regionalHost("sts", region),
  },
  sso: {
    variable: "AWS_ENDPOINT_URL_SSO",
    hostOf: (region: string) => regionalHost("portal.sso", region),
  },
  sso_oidc: {
    variable: "AWS_ENDPOINT_URL_SSO_OIDC",
    hostOf: (region: string) => regionalHost("oidc", region),
  },
  signin: {
    variable: "AWS_ENDPOINT_URL_SIGNIN",
    hostOf: (region: string) => `${region}.signin.${signInDomain(region)}`,
  },
};

const regionalHost = (service: string, region: string): string =>
  `${service}.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`;

/** AWS Sign-In has domains of its own in every partition. */
function signInDomain(region: string): string {
  if (region.startsWith("cn-")) return "amazonaws.cn";
  if (region.startsWith("us-gov-")) return "amazonaws-us-gov.com";
  if (region.startsWith("eusc-")) return "amazonaws-eusc.eu";
  return "aws.amazon.com";
}

/** The standard variables of the environment replace the address of the region. */
export function findEndpoint(
  { env }: IssuerHost,
  service: keyof typeof SERVICES,
  region: string,
  path: string,
): { url: string; is_local: boolean } {
  const { variable, hostOf } = SERVICES[service];
  const given = env[variable] ?? env.AWS_ENDPOINT_URL;
  const base = given?.replace(/\/+$/, "") ?? `https://${hostOf(region)}`;
  return { url: base + path, is_local: given !== undefined };
}
