/** Registries with an AWS identity: signed requests, roles and the default credential chain. */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { signRequest } from "../../src/credentials/aws/sign-request.ts";
import { makeCloudRegistry } from "../kit/cloud-registry.ts";
import { startConnectProxy } from "../kit/connect-proxy.ts";
import { startIssuerServer } from "../kit/issuer-server.ts";
import { type Kit, startKit } from "../kit/kit.ts";
import { createTestClock } from "../kit/test-clock.ts";
import { until } from "../kit/until.ts";
import { type ReceivedRequest, startUpstream } from "../kit/upstream.ts";

const SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
const ROLE = "arn:aws:iam::123456789012:role/gateway";
const KEYS = { type: "aws", access_key_id: "AKIAIOSFODNN7EXAMPLE", secret_access_key: SECRET };
const CHAIN = { type: "aws", source: "default_chain" };

const dir = mkdtempSync(join(tmpdir(), "portcullis-aws-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const file = (name: string, text: string): string => {
  writeFileSync(join(dir, name), text);
  return join(dir, name);
};

const clock = createTestClock();
const at = (ms: number) => new Date(clock.now().getTime() + ms).toISOString();

/** STS, the container endpoint and the instance metadata service in one server. */
const issuer = startIssuerServer(({ path, form, headers }) => {
  if (path === "/latest/api/token") return { body: "imds-session" };
  if (path === "/latest/meta-data/iam/security-credentials/") return { body: "node-role" };
  if (path.startsWith("/latest/") || path === "/container") {
    const isProven =
      headers["x-aws-ec2-metadata-token"] === "imds-session" || headers.authorization;
    if (!isProven) return { status: 401 };
    const AccessKeyId = path === "/container" ? "ASIACONTAINER0000" : "ASIAINSTANCE00000";
    return {
      body: {
        Code: "Success",
        AccessKeyId,
        SecretAccessKey: SECRET,
        Token: "tok",
        Expiration: at(3.6e6),
      },
    };
  }
  if (form.RoleSessionName === "forbidden") {
    return {
      status: 403,
      body: "<ErrorResponse><Error><Code>AccessDenied</Code></Error></ErrorResponse>",
    };
  }
  const id = form.Action === "AssumeRole" ? "ASIAASSUMEDROLE00" : "ASIAWEBIDENTITY00";
  return {
    body: `<R><Credentials><AccessKeyId>${id}</AccessKeyId><SecretAccessKey>${SECRET}</SecretAccessKey>
      <SessionToken>session-token</SessionToken><Expiration>${at(3.6e6)}</Expiration></Credentials></R>`,
  };
});
const upstream = startUpstream({ body: { choices: [] } });
afterAll(async () => {
  await issuer[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});
const STS = { AWS_ENDPOINT_URL_STS: issuer.url, HOME: dir };

const makeBedrock = (kit: Kit, auth: object) =>
  makeCloudRegistry(kit, {
    provider: "bedrock",
    provider_options: { region: "eu-west-1", base_url: upstream.url },
    auth,
  });

/** Signs what arrived again with the secret, and compares. */
function verify(
  { method, path, query, headers, body }: ReceivedRequest,
  access_key_id: string,
): void {
  const [, names = ""] = /SignedHeaders=([^,]+)/.exec(headers.authorization ?? "") ?? [];
  const signed = names.split(";").filter((name) => name !== "host" && name !== "x-amz-date");
  const again = {
    method,
    url: `http://${headers.host}${path}${query}`,
    headers: Object.fromEntries(signed.map((name) => [name, headers[name] ?? ""])),
    body: new Uint8Array(body),
  };
  const [, y, mo, d, h, mi, s] =
    /(....)(..)(..)T(..)(..)(..)/.exec(headers["x-amz-date"] ?? "") ?? [];
  const date = new Date(`${y}-${mo}-${d}T${h}:${mi}:${s}Z`);
  const keys = { access_key_id, secret_access_key: SECRET, session_token: undefined };
  signRequest(again, keys, { region: "eu-west-1", service: "bedrock" }, date);
  expect(headers.authorization ?? "").toBe(again.headers.authorization ?? "");
}

test("a request to Bedrock is signed with the access key, over the bytes that are sent", async () => {
  await using kit = await startKit();
  const { chat, registry } = await makeBedrock(kit, KEYS);

  const reply = await chat();

  expect(reply.status).toBe(200);
  const sent = upstream.hits.at(-1) as ReceivedRequest;
  expect(sent.headers.authorization).toContain("Credential=AKIAIOSFODNN7EXAMPLE/");
  verify(sent, KEYS.access_key_id);
  expect(await (await kit.get(registry)).json()).toMatchObject({
    auth: { type: "aws", source: "access_key", secret_access_key: "***EKEY" },
  });
  expect(kit.lines.join()).not.toContain(SECRET);
});

test("a translated request to Converse is signed with its path, which contains the model", async () => {
  await using kit = await startKit();
  const { post } = await makeBedrock(kit, KEYS);

  await post("/v1/messages", {
    model: "anthropic.claude-sonnet-4-v1:0",
    max_tokens: 5,
    messages: [{ role: "user", content: "Grüße" }],
  });

  const sent = upstream.hits.at(-1) as ReceivedRequest;
  expect(sent.path).toBe("/model/anthropic.claude-sonnet-4-v1%3A0/converse");
  verify(sent, KEYS.access_key_id);
});

test("the connection test lists the models at the control plane of the region", async () => {
  await using proxy = await startConnectProxy({ refuse: 403 });
  await using kit = await startKit({ settings: { EGRESS_PROXY: proxy.url } });
  const { test: testConnection } = await makeCloudRegistry(kit, {
    provider: "bedrock",
    provider_options: { region: "eu-west-1" },
    auth: KEYS,
  });

  expect(await testConnection()).toMatchObject({ stage: "connect" });

  expect(proxy.targets).toEqual(["bedrock.eu-west-1.amazonaws.com:443"]);
});

test("a role is assumed once with its external id, and renewed in the background before it expires", async () => {
  await using kit = await startKit({ env: STS, now: clock.now });
  const auth = { ...KEYS, role_arn: ROLE, external_id: "tenant-7", session_name: "gw" };
  const { chat } = await makeBedrock(kit, auth);
  const before = issuer.requests.length;

  await Promise.all([chat(), chat(), chat()]);

  const [call, ...more] = issuer.requests.slice(before);
  expect(more).toEqual([]);
  expect(call?.form).toMatchObject({
    RoleArn: ROLE,
    ExternalId: "tenant-7",
    RoleSessionName: "gw",
  });
  expect(call?.headers.authorization).toContain("/eu-west-1/sts/aws4_request");
  const sent = upstream.hits.at(-1) as ReceivedRequest;
  expect(sent.headers["x-amz-security-token"]).toBe("session-token");
  verify(sent, "ASIAASSUMEDROLE00");

  clock.advance(57 * 60_000);
  expect((await chat()).status).toBe(200);
  await until(() => issuer.requests.length === before + 2);
});

test("a rejected role is a 502 that names the code of STS, and the connection test reports the stage", async () => {
  await using kit = await startKit({ env: STS });
  const auth = { ...KEYS, role_arn: ROLE, session_name: "forbidden" };
  const { chat, test: testConnection } = await makeBedrock(kit, auth);
  const hits = upstream.hits.length;

  const reply = await chat();
  const report = await testConnection();

  expect(reply.status).toBe(502);
  expect(await reply.json()).toMatchObject({
    error: {
      code: "provider_credential_error",
      message: expect.stringContaining("403 (AccessDenied)"),
    },
  });
  expect(report).toMatchObject({ ok: false, stage: "credential" });
  expect(upstream.hits.length).toBe(hits);
});

describe("the default chain", () => {
  test.each([
    [
      "the environment",
      { AWS_ACCESS_KEY_ID: "AKIAENVIRONMENT00", AWS_SECRET_ACCESS_KEY: SECRET },
      "AKIAENVIRONMENT00",
    ],
    [
      "a profile of the shared files that assumes a role",
      {
        AWS_PROFILE: "gateway",
        AWS_CONFIG_FILE: file(
          "config",
          `[profile gateway]\nrole_arn = ${ROLE}\nsource_profile = base\n`,
        ),
        AWS_SHARED_CREDENTIALS_FILE: file(
          "credentials",
          `[base]\naws_access_key_id = AKIABASEPROFILE00\naws_secret_access_key = ${SECRET}\n`,
        ),
      },
      "ASIAASSUMEDROLE00",
    ],
    [
      "a web identity",
      { AWS_ROLE_ARN: ROLE, AWS_WEB_IDENTITY_TOKEN_FILE: file("token", "e.y.J\n") },
      "ASIAWEBIDENTITY00",
    ],
    [
      "a container",
      {
        AWS_CONTAINER_CREDENTIALS_FULL_URI: `${issuer.url}/container`,
        AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: file("pod", "pod-token"),
      },
      "ASIACONTAINER0000",
    ],
    [
      "the instance metadata",
      { AWS_EC2_METADATA_SERVICE_ENDPOINT: issuer.url },
      "ASIAINSTANCE00000",
    ],
  ])("finds credentials in %s", async (_, env, id) => {
    await using kit = await startKit({ env: { ...STS, ...env }, now: clock.now });
    const { chat } = await makeBedrock(kit, CHAIN);

    expect((await chat()).status).toBe(200);

    verify(upstream.hits.at(-1) as ReceivedRequest, id);
  });

  test("reports that nothing was found, and what to do", async () => {
    await using kit = await startKit({ env: { HOME: dir, AWS_EC2_METADATA_DISABLED: "true" } });
    const { chat } = await makeBedrock(kit, CHAIN);

    const reply = await chat();

    expect(await reply.json()).toMatchObject({
      error: { message: expect.stringContaining("Set one of them up, or use an access key") },
    });
  });
});
