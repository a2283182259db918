/** Signs the request by which Google verifies the AWS identity of the machine. Google sends it to STS. */
import { requestDefaultKeys } from "./default-chain.ts";
import { findEndpoint } from "./find-endpoint.ts";
import { requestInstanceRegion, STS_VERSION } from "./request-keys.ts";
import { signRequest } from "./sign-request.ts";
import type { AwsHost } from "./stored-token.ts";

/** Returns the signed request as a subject token for the provider `audience` of a workload identity pool. */
export async function signCallerIdentity(host: AwsHost, audience: string): Promise<string> {
  const { env } = host;
  const region = env.AWS_REGION || env.AWS_DEFAULT_REGION || (await requestInstanceRegion(host));
  const { value: keys } = await requestDefaultKeys(host, region);
  const query = `?Action=GetCallerIdentity&Version=${STS_VERSION}`;
  const { url } = findEndpoint(host, "sts", region, query);
  const request = {
    method: "POST" as const,
    url,
    // Signed, so that no other provider accepts the token.
    headers: { host: new URL(url).host, "x-goog-cloud-target-resource": audience },
    body: null,
  };
  signRequest(request, keys, { region, service: "sts" }, host.now());
  const headers = Object.entries(request.headers).map(([key, value]) => ({ key, value }));
  return encodeURIComponent(JSON.stringify({ url, method: request.method, headers }));
}
