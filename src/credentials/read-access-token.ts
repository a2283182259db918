/** Reads the access token of an OAuth token response. */
import { type IssuerResponse, parseIssued, rejectedBy } from "./call-issuer.ts";
import type { IssuedCredential } from "./credential-cache.ts";

/** Used when the response does not say how long the token is valid. */
const DEFAULT_LIFETIME_S = 300;

/** `expires_in` is a number, or text at some endpoints of Azure. */
export function readAccessToken(
  issuer: string,
  response: IssuerResponse,
  at: Date,
): IssuedCredential<string> {
  const { access_token, expires_in = DEFAULT_LIFETIME_S } = parseIssued(issuer, response);
  const seconds = Number(expires_in);
  if (typeof access_token !== "string" || !TOKEN.test(access_token) || !(seconds > 0)) {
    throw rejectedBy(issuer, response.status, ["invalid_token_response"]);
  }
  return { value: access_token, expires_at: at.getTime() + seconds * 1000 };
}

/** Characters of a bearer token (RFC 6750 section 2.1): no other can be part of a header. */
const TOKEN = /^[\w.~+/-]+=*$/;
