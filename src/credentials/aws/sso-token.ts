/** Reads the token that `aws sso login` stored. */
import { createHash } from "node:crypto";
import { z } from "zod";
import { type IssuerHost, parseIssued, rejectedBy } from "../call-issuer.ts";
import { findEndpoint } from "./find-endpoint.ts";
import { awsFile } from "./shared-files.ts";
import type { AwsHost, CliLogin } from "./stored-token.ts";

export interface SsoLogin extends CliLogin {
  /** Undefined for the legacy form, whose token cannot be refreshed. */
  session: string | undefined;
  start_url: string;
  region: string;
}

const SsoToken = z.looseObject({
  accessToken: z.string().min(1),
  expiresAt: z.string(),
  refreshToken: z.string().optional(),
  clientId: z.string().optional(),
  clientSecret: z.string().optional(),
});
type SsoToken = z.infer<typeof SsoToken>;

const RefreshedToken = z.object({
  accessToken: z.string().min(1),
  expiresIn: z.number().positive(),
  refreshToken: z.string().optional(),
});

/** Returns the access token. */
export async function readSsoToken(host: AwsHost, login: SsoLogin): Promise<string> {
  const name = login.session ?? login.start_url;
  const hash = createHash("sha1").update(name).digest("hex");
  const token = await host.readStoredToken(host, {
    ...login,
    file: awsFile(host.env, "sso", "cache", `${hash}.json`),
    schema: SsoToken,
    // A time that cannot be read counts as expired.
    expiryOf: ({ expiresAt }) => Date.parse(expiresAt) || 0,
    refresh: (stored) => refresh(host, login, stored),
  });
  return token.accessToken;
}

async function refresh(
  host: IssuerHost,
  { session, region }: SsoLogin,
  token: SsoToken,
): Promise<SsoToken | undefined> {
  const { clientId, clientSecret, refreshToken } = token;
  if (session === undefined || !clientId || !clientSecret || !refreshToken) return undefined;
  const issuer = "AWS IAM Identity Center";
  const response = await host.call({
    issuer,
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ clientId, clientSecret, refreshToken, grantType: "refresh_token" }),
    ...findEndpoint(host, "sso_oidc", region, "/token"),
  });
  const issued = RefreshedToken.safeParse(parseIssued(issuer, response)).data;
  if (!issued) throw rejectedBy(issuer, response.status, []);
  return {
    ...token,
    accessToken: issued.accessToken,
    expiresAt: new Date(host.now().getTime() + issued.expiresIn * 1000).toISOString(),
    // RFC 6749 section 6: without a new one, the old one stays valid.
    refreshToken: issued.refreshToken ?? refreshToken,
  };
}
