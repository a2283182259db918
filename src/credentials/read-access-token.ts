/** Reads the access token of an OAuth token response. */
import { type IssuerResponse, parseIssued, rejectedBy } from "./call-issuer.ts";
import type { IssuedCredential } from "./credential-cache.ts";

/** Used when the response does not say how long the token is valid. */
const DEFAULT_LIFETIME_S = 300;

/** The lifetime is a number, or text at some endpoints of Azure; App Service sends only `expires_on`. */
export function readAccessToken(
  issuer: string,
  response: IssuerResponse,
  at: Date,
): IssuedCredential<string> {
  const { access_token, expires_in, expires_on } = parseIssued(issuer, response);
  const left = expires_on === undefined ? undefined : Number(expires_on) - at.getTime() / 1000;
  const seconds = Number(expires_in ?? left ?? DEFAULT_LIFETIME_S);
  if (typeof access_token !== "string" || !TOKEN.test(access_token) || !(seconds > 0)) {
    throw rejectedBy(issuer, response.status, ["invalid_token_response"]);
  }
  return { value: access_token, expires_at: at.getTime() + seconds * 1000 };
}

/** Characters of a bearer token (RFC 6750 section 2.1): no other can be part of a header. */
const TOKEN = /^[\w.~+/-]+=*$/;
