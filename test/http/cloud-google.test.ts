/** Vertex AI with a service account, workload identity federation and the metadata server. */
import { afterAll, expect, test } from "bun:test";
import { createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeCloudRegistry } from "../kit/cloud-registry.ts";
import { startIssuerServer } from "../kit/issuer-server.ts";
import { type Kit, sharedKit, startKit } from "../kit/kit.ts";
import { startUpstream } from "../kit/upstream.ts";

const dir = mkdtempSync(join(tmpdir(), "portcullis-google-"));
const file = (name: string, text: string): string => {
  writeFileSync(join(dir, name), text);
  return join(dir, name);
};
const { privateKey, publicKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
});

const INSTANCE_KEYS = {
  AccessKeyId: "ASIAINSTANCE00000",
  SecretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  Token: "instance-session",
  Expiration: "2100-01-01T00:00:00Z",
};
const google = startIssuerServer(({ path, form, headers }) => {
  if (path.endsWith(":generateAccessToken")) {
    const isProven = headers.authorization === "Bearer federated-token";
    const expireTime = new Date(Date.now() + 3.6e6).toISOString();
    return isProven ? { body: { accessToken: "impersonated-token", expireTime } } : { status: 403 };
  }
  if (path.startsWith("/computeMetadata/")) {
    const isProven = headers["metadata-flavor"] === "Google";
    return isProven
      ? { body: { access_token: "machine-token", expires_in: 600 } }
      : { status: 403 };
  }
  if (path === "/latest/api/token") return { body: "imds-token" };
  if (path.startsWith("/latest/meta-data/")) {
    if (headers["x-aws-ec2-metadata-token"] !== "imds-token") return { status: 401 };
    if (path.endsWith("/placement/region")) return { body: "eu-west-3" };
    return { body: path.endsWith("/security-credentials/") ? "gateway-role" : INSTANCE_KEYS };
  }
  if (path === "/subject") return { body: { id_token: "u.r.l" } };
  if (form.subject_token) return { body: { access_token: "federated-token", expires_in: 3600 } };
  return { body: { access_token: "ya29.key-token", expires_in: 3599 } };
});
const upstream = startUpstream({ body: { choices: [] } });
afterAll(async () => {
  rmSync(dir, { recursive: true, force: true });
  await google[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

const started = sharedKit({ env: { GCE_METADATA_HOST: new URL(google.url).host } });
const options = { project: "acme-prod", location: "europe-west4", base_url: upstream.url };
const makeVertex = (kit: Kit, source: string, credentials?: object) =>
  makeCloudRegistry(kit, {
    provider: "vertex",
    provider_options: options,
    auth: {
      type: "gcp_service_account",
      source,
      ...(credentials && { credentials: JSON.stringify(credentials, null, 2) }),
    },
  });
const KEY = {
  type: "service_account",
  project_id: "acme-prod",
  private_key_id: "key-7",
  private_key: privateKey,
  client_email: "gw@acme-prod.iam.gserviceaccount.com",
  token_uri: `${google.url}/token`,
};
const EXTERNAL = {
  type: "external_account",
  audience: "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/x",
  subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
  token_url: `${google.url}/sts`,
};

test("the key of a service account signs a JWT for a token, and chat goes to the endpoint of the location", async () => {
  const kit = await started();
  const { chat, registry } = await makeVertex(kit, "key", KEY);

  expect((await chat()).status).toBe(200);

  const { form } = google.requests.at(-1) ?? { form: {} as Record<string, string> };
  const [header = "", claims = "", signature = ""] = (form.assertion ?? "").split(".");
  const read = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString());
  expect(read(header)).toEqual({ alg: "RS256", typ: "JWT", kid: "key-7" });
  expect(read(claims)).toMatchObject({ iss: KEY.client_email, aud: KEY.token_uri });
  const signed = Buffer.from(`${header}.${claims}`);
  const bytes = Buffer.from(signature, "base64url");
  expect(verify("RSA-SHA256", signed, createPublicKey(publicKey), bytes)).toBe(true);
  expect(upstream.hits.at(-1)).toMatchObject({
    path: "/v1/projects/acme-prod/locations/europe-west4/endpoints/openapi/chat/completions",
    headers: { authorization: "Bearer ya29.key-token" },
  });
  const stored = JSON.stringify(await (await kit.get(registry)).json());
  expect(stored).not.toContain("PRIVATE KEY");
  expect(kit.lines.join()).not.toContain("PRIVATE KEY");
});

test("content in the Gemini format goes to the model of the location", async () => {
  const { post } = await makeVertex(await started(), "metadata");

  const reply = await post("/v1beta/models/gemini-2.5-pro:generateContent", { contents: [] });

  expect(reply.status).toBe(200);
  expect(upstream.hits.at(-1)).toMatchObject({
    path: "/v1/projects/acme-prod/locations/europe-west4/publishers/google/models/gemini-2.5-pro:generateContent",
    headers: { authorization: "Bearer machine-token" },
  });
});

test("the metadata server issues tokens of the machine", async () => {
  const { chat, test: testConnection } = await makeVertex(await started(), "metadata");

  expect((await chat()).status).toBe(200);
  expect(upstream.hits.at(-1)?.headers.authorization).toBe("Bearer machine-token");

  expect(await testConnection()).toMatchObject({ ok: true });
  expect(upstream.hits.at(-1)).toMatchObject({
    method: "GET",
    path: "/v1/projects/acme-prod/locations/europe-west4/models",
  });
});

test.each([
  ["a file", () => ({ file: file("jwt", "f.i.le\n") }), "f.i.le"],
  [
    "a URL with JSON",
    () => ({
      url: `${google.url}/subject`,
      format: { type: "json", subject_token_field_name: "id_token" },
    }),
    "u.r.l",
  ],
])(
  "workload identity federation exchanges the token in %s and impersonates a service account",
  async (_, source, subject) => {
    const account = {
      ...EXTERNAL,
      service_account_impersonation_url: `${google.url}/v1/projects/-/serviceAccounts/x:generateAccessToken`,
      credential_source: source(),
    };
    const { chat } = await makeVertex(await started(), "workload_identity", account);

    expect((await chat()).status).toBe(200);

    const exchange = google.requests.findLast(({ path }) => path === "/sts");
    expect(exchange?.form).toMatchObject({ subject_token: subject, audience: EXTERNAL.audience });
    expect(upstream.hits.at(-1)?.headers.authorization).toBe("Bearer impersonated-token");
  },
);

/** As `gcloud` writes it. */
const AWS_EXTERNAL = {
  ...EXTERNAL,
  subject_token_type: "urn:ietf:params:aws:token-type:aws4_request",
  credential_source: {
    environment_id: "aws1",
    region_url: "http://169.254.169.254/latest/meta-data/placement/availability-zone",
    url: "http://169.254.169.254/latest/meta-data/iam/security-credentials",
    regional_cred_verification_url:
      "https://sts.{region}.amazonaws.com?Action=GetCallerIdentity&Version=2011-06-15",
  },
};

test("workload identity federation proves the AWS identity of the machine by a signed request", async () => {
  const env = { AWS_EC2_METADATA_SERVICE_ENDPOINT: google.url };
  await using kit = await startKit({ env });
  const { chat } = await makeVertex(kit, "workload_identity", AWS_EXTERNAL);

  expect((await chat()).status).toBe(200);

  const { form } = google.requests.at(-1) ?? { form: {} as Record<string, string> };
  expect(form.subject_token_type).toBe(AWS_EXTERNAL.subject_token_type);
  const { url, method, headers } = JSON.parse(decodeURIComponent(form.subject_token ?? ""));
  const host = "sts.eu-west-3.amazonaws.com";
  expect(url).toBe(`https://${host}?Action=GetCallerIdentity&Version=2011-06-15`);
  expect(method).toBe("POST");
  const sent = Object.fromEntries(
    headers.map(({ key, value }: { key: string; value: string }) => [key, value]),
  );
  expect(sent).toEqual({
    host,
    "x-goog-cloud-target-resource": EXTERNAL.audience,
    "x-amz-date": expect.any(String),
    "x-amz-security-token": "instance-session",
    authorization: expect.any(String),
  });
  expect(sent.authorization).toMatch(
    /Credential=ASIAINSTANCE00000\/\d{8}\/eu-west-3\/sts\/aws4_request, SignedHeaders=host;x-amz-date;x-amz-security-token;x-goog-cloud-target-resource, Signature=[0-9a-f]{64}$/,
  );
});

test("a file that contains no JWT is never sent", async () => {
  const account = { ...EXTERNAL, credential_source: { file: file("keys", "k1:planted-key") } };
  const { chat } = await makeVertex(await started(), "workload_identity", account);
  const before = google.requests.length;

  const reply = await chat();

  expect(reply.status).toBe(502);
  expect(await reply.text()).toContain("contains no JWT");
  expect(google.requests.length).toBe(before);
});

test("a private key that cannot be read is a 502 that does not repeat it", async () => {
  const kit = await started();
  const private_key = "-----BEGIN PRIVATE KEY-----\nplanted\n-----END PRIVATE KEY-----\n";
  const { chat } = await makeVertex(kit, "key", { ...KEY, private_key });

  const text = await (await chat()).text();

  expect(text).toContain("private key of the Google service account cannot be read");
  expect(text + kit.lines.join()).not.toContain("planted");
});

test.each([
  ["is not JSON", "key", "nonsense"],
  ["is of another type", "key", JSON.stringify({ ...EXTERNAL, credential_source: { file: "/x" } })],
  [
    "starts a program",
    "workload_identity",
    JSON.stringify({ ...EXTERNAL, credential_source: { executable: {} } }),
  ],
  [
    "is of AWS but announces a JWT",
    "workload_identity",
    JSON.stringify({ ...EXTERNAL, credential_source: { environment_id: "aws1" } }),
  ],
  ["has no private key", "key", JSON.stringify({ ...KEY, private_key: "planted" })],
])(
  "credentials whose text %s are a 422 that does not repeat them",
  async (_, source, credentials) => {
    const kit = await started();
    const { id } = await kit.make("/v1/gateways", { name: "g" });

    const reply = await kit.post(`/v1/gateways/${id}/registries`, {
      name: "vertex",
      provider: "vertex",
      provider_options: options,
      allow_private: true,
      auth: { type: "gcp_service_account", source, credentials },
    });

    expect(reply.status).toBe(422);
    const text = await reply.text();
    expect(text).toContain("auth.credentials: ");
    expect(text).not.toContain("planted");
  },
);

test("the models of Google are listed with the names that the endpoint accepts", async () => {
  const consumer = await makeVertex(await started(), "metadata");
  upstream.script({ body: { publisherModels: [{ name: "publishers/google/models/gemini-3" }] } });

  const reply = await consumer.get("/v1/models");
  upstream.script({ body: { choices: [] } });

  expect(upstream.hits.at(-1)?.path).toBe("/v1beta1/publishers/google/models");
  expect(await reply.json()).toMatchObject({ data: [{ id: "google/gemini-3" }] });
});
