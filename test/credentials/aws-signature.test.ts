/** Signatures equal those of the AWS SDK's own signer. */
import { expect, test } from "bun:test";
import { createHash, createHmac } from "node:crypto";
import { SignatureV4 } from "@smithy/signature-v4";
import { signRequest } from "../../src/credentials/aws/sign-request.ts";
import { type Random, seeded } from "../kit/random.ts";

const PIECES = [
  "a",
  "Z",
  "9",
  ":",
  "%3A",
  "%2F",
  "%20",
  "é",
  "~",
  "-",
  "_",
  ".",
  "*",
  "'",
  "(",
  "+",
  "@",
];
const HEADERS = ["Content-Type", "ACCEPT", "X-Custom", "traceparent", "User-Agent", "x-amz-target"];

const textOf = (random: Random, pieces: readonly string[]): string =>
  Array.from({ length: random.below(12) }, () => random.pick(pieces)).join("");

function randomRequest(random: Random) {
  const path = ["model", textOf(random, PIECES), `x${textOf(random, PIECES)}`, "converse"].join(
    "/",
  );
  const pairs = Array.from({ length: random.below(4) }, () => {
    const name = random.pick(["a", "b", "A", "x-y", "%C3%A9", "a%20b"]);
    return random.below(4) === 0 ? name : `${name}=${textOf(random, PIECES)}`;
  });
  const search = pairs.length > 0 ? `?${pairs.join("&")}` : "";
  const names = HEADERS.filter(() => random.below(2) === 0);
  const headers = names.map((name) => [name, random.pick(["v", "  a   b ", "x; y=1", ""])]);
  return {
    method: random.pick(["GET", "POST"]),
    url: `https://bedrock-runtime.eu-west-1.amazonaws.com${random.pick(["", ":8443"])}/${path}${search}`,
    headers: Object.fromEntries(headers) as Record<string, string>,
    body: random.below(3) === 0 ? null : Buffer.from(textOf(random, PIECES)),
  };
}

/** The hash that the SDK's signer requires, by Node's crypto. */
class Sha256 {
  readonly #hash;
  constructor(key?: unknown) {
    // The signer passes text or bytes.
    this.#hash = key ? createHmac("sha256", key as string) : createHash("sha256");
  }
  update(data: string | Uint8Array): void {
    this.#hash.update(data);
  }
  digest = async (): Promise<Uint8Array> => new Uint8Array(this.#hash.digest());
  reset(): void {}
}

async function signWithSdk(
  { method, url, headers, body }: ReturnType<typeof randomRequest>,
  credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string },
  scope: { region: string; service: string },
  at: Date,
): Promise<Record<string, string>> {
  const { host, hostname, pathname, search } = new URL(url);
  const query: Record<string, string[]> = {};
  for (const pair of search.slice(1).split("&").filter(Boolean)) {
    const [name = "", value = ""] = pair.split("=").map((part) => decodeURIComponent(part));
    query[name] = [...(query[name] ?? []), value];
  }
  const signer = new SignatureV4({ credentials, ...scope, sha256: Sha256, applyChecksum: false });
  const request = {
    ...{ method, protocol: "https:", hostname, path: pathname, query },
    headers: { ...headers, host },
    ...(body && { body }),
  };
  return (await signer.sign(request, { signingDate: at })).headers;
}

test("a signature equals that of the AWS SDK, for random paths, queries, headers and bodies", async () => {
  const random = seeded(18);
  for (let round = 0; round < 500; round++) {
    const request = randomRequest(random);
    const scope = { region: random.pick(["eu-west-1", "us-east-1"]), service: "bedrock" };
    const session_token = random.pick([undefined, "IQoJb3JpZ2luX2VjEXAMPLE//+=="]);
    const keys = {
      access_key_id: "AKIDEXAMPLE",
      secret_access_key: "wJalr/K7MD+bPx",
      session_token,
    };
    const at = new Date(Date.UTC(2026, random.below(12), 1 + random.below(28), 23, 59, 7));
    const own = { ...request, headers: { ...request.headers } };
    const credentials = {
      accessKeyId: keys.access_key_id,
      secretAccessKey: keys.secret_access_key,
      ...(session_token && { sessionToken: session_token }),
    };

    signRequest(own, keys, scope, at);

    const expected = await signWithSdk(request, credentials, scope, at);
    expect({ url: request.url, authorization: own.headers.authorization }).toEqual({
      url: request.url,
      authorization: expected.authorization,
    });
    expect(own.headers["x-amz-date"]).toBe(expected["x-amz-date"]);
    expect(own.headers["x-amz-security-token"]).toBe(expected["x-amz-security-token"]);
  }
});
