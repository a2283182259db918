/** Signs a request with AWS Signature Version 4, over the bytes that one attempt sends. */
import { createHmac } from "node:crypto";
import type { OutboundRequest } from "../../net/send.ts";
import { credentialError } from "../call-issuer.ts";

export interface AwsKeys {
  access_key_id: string;
  secret_access_key: string;
  session_token: string | undefined;
}

export interface SigningScope {
  region: string;
  /** Name in the credential scope, such as `bedrock`. */
  service: string;
}

/** Headers that the client itself or an intermediary may change; the AWS SDK does not sign them either. */
const UNSIGNED_HEADERS = new Set([
  ...["authorization", "connection", "expect", "from", "keep-alive", "max-forwards", "pragma"],
  ...["referer", "te", "trailer", "transfer-encoding", "upgrade", "user-agent"],
  "x-amzn-trace-id",
]);

const UNPRINTABLE = /[^\x21-\x7e]/;

/** Adds the date, the session token and the signature to the headers of the request. */
export function signRequest(
  request: Pick<OutboundRequest, "method" | "url" | "headers" | "body">,
  keys: AwsKeys,
  { region, service }: SigningScope,
  at: Date,
): void {
  const { method, headers, body } = request;
  if (body instanceof ReadableStream) throw new Error("A streamed body cannot be signed.");
  if (UNPRINTABLE.test(keys.access_key_id) || UNPRINTABLE.test(keys.session_token ?? "")) {
    throw credentialError(
      "The AWS access key id or session token has characters that a header cannot have. Check their source, such as for a line break.",
    );
  }
  const { host, pathname, search } = new URL(request.url);
  const time = at.toISOString().replace(/[:-]|\.\d{3}/g, "");
  const day = time.slice(0, 8);
  headers["x-amz-date"] = time;
  if (keys.session_token) headers["x-amz-security-token"] = keys.session_token;
  const signed = Object.entries({ ...headers, host })
    .map(([name, value]) => [name.toLowerCase(), value.trim().replace(/\s+/g, " ")] as const)
    .filter(([name]) => !UNSIGNED_HEADERS.has(name))
    .sort(([one], [other]) => (one < other ? -1 : 1));
  const names = signed.map(([name]) => name).join(";");
  const canonical = [
    method,
    // Every service except S3 collapses slashes, and encodes the path a second time.
    escapeUri(pathname.replace(/\/+/g, "/")).replaceAll("%2F", "/"),
    toCanonicalQuery(search),
    ...signed.map(([name, value]) => `${name}:${value}`),
    "",
    names,
    hash(body ?? ""),
  ].join("\n");
  const scope = `${day}/${region}/${service}/aws4_request`;
  const text = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${hash(canonical)}`;
  const signature = hmac(deriveKey(keys.secret_access_key, scope), text).toString("hex");
  headers.authorization = `AWS4-HMAC-SHA256 Credential=${keys.access_key_id}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
}

const hash = (value: Uint8Array<ArrayBuffer> | string): string => Bun.SHA256.hash(value, "hex");

const hmac = (key: string | Buffer, text: string): Buffer =>
  createHmac("sha256", key).update(text).digest();

const deriveKey = (secret: string, scope: string): Buffer =>
  scope.split("/").reduce<string | Buffer>(hmac, `AWS4${secret}`) as Buffer;

/** Encodes all but unreserved characters (RFC 3986). */
const escapeUri = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

function toCanonicalQuery(search: string): string {
  const pairs = search.slice(1).split("&").filter(Boolean);
  return pairs
    .map((pair) => {
      const at = pair.indexOf("=");
      const [name, value] = at < 0 ? [pair, ""] : [pair.slice(0, at), pair.slice(at + 1)];
      return [name, value].map((part) => escapeUri(decode(part)));
    })
    .sort(([name = "", value = ""], [otherName = "", otherValue = ""]) =>
      name === otherName ? (value < otherValue ? -1 : 1) : name < otherName ? -1 : 1,
    )
    .map((pair) => pair.join("="))
    .join("&");
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
