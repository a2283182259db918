/** Profiles of the shared AWS files: SSO and login sessions, `credential_process` and their precedence. */
import { afterAll, describe, expect, test } from "bun:test";
import { createHash, createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { AdminClient } from "../kit/admin-client.ts";
import { makeCloudRegistry } from "../kit/cloud-registry.ts";
import { startConnectProxy } from "../kit/connect-proxy.ts";
import { startIssuerServer } from "../kit/issuer-server.ts";
import { sharedKit, startKit } from "../kit/kit.ts";
import { startProgram, WITHOUT_ROOT_RIGHTS } from "../kit/program.ts";
import { createTestClock } from "../kit/test-clock.ts";
import { startUpstream } from "../kit/upstream.ts";

const SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
const ROLE = "arn:aws:iam::123456789012:role/gateway";
const START_URL = "https://acme.awsapps.com/start";
const USER = "arn:aws:iam::123456789012:user/dev";
const MINUTE = 60_000;

const home = mkdtempSync(join(tmpdir(), "portcullis-profiles-"));
const cache = join(home, ".aws", "sso", "cache");
const loginCache = join(home, ".aws", "login", "cache");
mkdirSync(cache, { recursive: true });
mkdirSync(loginCache, { recursive: true });
afterAll(() => rmSync(home, { recursive: true, force: true }));

const clock = createTestClock();
const at = (ms: number) => new Date(clock.now().getTime() + ms).toISOString();

const writeConfig = (text: string) => writeFileSync(join(home, ".aws", "config"), text);

/** Stores a token as `aws sso login` does; returns its file. */
function storeToken(name: string, members: object): string {
  const file = join(cache, `${createHash("sha1").update(name).digest("hex")}.json`);
  const token = { startUrl: START_URL, region: "eu-north-1", accessToken: "sso-token", ...members };
  writeFileSync(file, JSON.stringify(token));
  return file;
}
const CLIENT = { clientId: "client", clientSecret: "client-secret", refreshToken: "refresh-1" };

const ACCOUNT = "sso_account_id = 123456789012\nsso_role_name = Dev+Ops\n";
/** A profile with an sso-session of this name. */
const writeSession = (session: string) =>
  writeConfig(
    `[profile dev]\nsso_session = ${session}\n${ACCOUNT}[sso-session ${session}]\nsso_region = eu-north-1\nsso_start_url = ${START_URL}\nsso_registration_scopes = sso:account:access\n`,
  );
const writeLegacy = (url: string) =>
  writeConfig(`[profile dev]\nsso_start_url = ${url}\nsso_region = eu-north-1\n${ACCOUNT}`);

/** Stores keys as `aws login` does; returns their file. */
function storeLogin(session: string, expiresAt: string, members: object = {}): string {
  const file = join(loginCache, `${createHash("sha256").update(session).digest("hex")}.json`);
  const keys = { accessKeyId: "ASIALOGIN00000000", secretAccessKey: SECRET, sessionToken: "login" };
  const accessToken = { ...keys, accountId: "123456789012", expiresAt };
  const token = { accessToken, tokenType: "aws_sigv4", ...LOGIN_CLIENT, idToken: "i.d.t" };
  writeFileSync(file, JSON.stringify({ ...token, ...members }));
  return file;
}
const dpop = generateKeyPairSync("ec", { namedCurve: "P-256" });
const LOGIN_CLIENT = {
  clientId: "arn:aws:signin:::devtools/same-device",
  refreshToken: "login-1",
  dpopKey: dpop.privateKey.export({ format: "pem", type: "sec1" }).toString(),
};
const writeLogin = (session: string) =>
  writeConfig(`[profile dev]\nlogin_session = ${session}\nregion = eu-north-1\n`);

/** Returns the header and claims of a DPoP proof whose signature is valid. */
function readProof(proof = "") {
  const [header = "", claims = "", signature = ""] = proof.split(".");
  const decode = (text: string) => JSON.parse(Buffer.from(text, "base64url").toString());
  const key = createPublicKey({ key: decode(header).jwk, format: "jwk" });
  const signed = Buffer.from(`${header}.${claims}`);
  const options = { key, dsaEncoding: "ieee-p1363" as const };
  expect(verify("sha256", signed, options, Buffer.from(signature, "base64url"))).toBe(true);
  return { header: decode(header), claims: decode(claims) };
}

/** The portal and the token endpoint of IAM Identity Center, AWS Sign-In and STS. */
const issuer = startIssuerServer(({ path, headers, form, text }) => {
  if (path === "/v1/token") {
    if (JSON.parse(text).refreshToken === "revoked") {
      const message = "secret text";
      return {
        status: 400,
        body: { __type: "AccessDeniedException", error: "TOKEN_EXPIRED", message },
      };
    }
    const accessToken = {
      accessKeyId: "ASIALOGINREFRESH0",
      secretAccessKey: SECRET,
      sessionToken: "login-session-2",
    };
    return {
      body: { accessToken, tokenType: "aws_sigv4", expiresIn: 900, refreshToken: "login-2" },
    };
  }
  if (path === "/token") {
    const { refreshToken } = JSON.parse(text);
    // Another process refreshes the token at the same time, which ends this refresh token.
    if (refreshToken === "raced") storeToken("raced", { expiresAt: at(60 * MINUTE) });
    if (refreshToken === "revoked" || refreshToken === "raced") {
      return { status: 400, body: { error: "invalid_grant", error_description: "secret text" } };
    }
    const body = { accessToken: "sso-token-2", expiresIn: 3600, refreshToken: "refresh-2" };
    return { body: { ...body, tokenType: "Bearer" } };
  }
  if (path === "/federation/credentials") {
    const token = headers["x-amz-sso_bearer_token"];
    if (token === "signed-out") return { status: 401, body: { message: "Session token invalid" } };
    const accessKeyId = token === "sso-token" ? "ASIASSOROLE000000" : "ASIASSOREFRESHED0";
    const expiration = clock.now().getTime() + 60 * MINUTE;
    const sessionToken = token === "damaged-session" ? "sso\nx-other" : "sso-session";
    const keys = { accessKeyId, secretAccessKey: SECRET, sessionToken };
    return { body: { roleCredentials: { ...keys, expiration } } };
  }
  const id = form.Action === "AssumeRole" ? "ASIAASSUMEDROLE00" : "ASIAWEBIDENTITY00";
  return {
    body: `<R><Credentials><AccessKeyId>${id}</AccessKeyId><SecretAccessKey>${SECRET}</SecretAccessKey>
      <SessionToken>session-token</SessionToken><Expiration>${at(60 * MINUTE)}</Expiration></Credentials></R>`,
  };
});
const upstream = startUpstream({ body: { choices: [] } });
afterAll(async () => {
  await issuer[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

const ENV = { HOME: home, AWS_PROFILE: "dev", AWS_ENDPOINT_URL: issuer.url };
const sharedNode = sharedKit({ env: ENV, now: clock.now });

/** Every registry has an identity of its own, so that none uses the cached credentials of another. */
let made = 0;
const makeBedrock = (kit: AdminClient) => {
  made += 1;
  return makeCloudRegistry(kit, {
    provider: "bedrock",
    provider_options: { region: "eu-west-1", base_url: upstream.url },
    auth: { type: "aws", source: "default_chain", session_name: `test-${made}` },
  });
};

/** Returns the id of the key that signed the last request. */
const signedWith = () =>
  /Credential=(\w+)\//.exec(upstream.hits.at(-1)?.headers.authorization ?? "")?.[1];

/** Sends one request; returns the id of the key that signed it, or the error message. */
async function signOnce(): Promise<string | undefined> {
  const { chat } = await makeBedrock(await sharedNode());
  const reply = await chat();
  if (reply.status === 200) return signedWith();
  const { error } = (await reply.json()) as { error: { code: string; message: string } };
  expect(error.code).toBe("provider_credential_error");
  return error.message;
}

const callsOf = (path: string) => issuer.requests.filter((request) => request.path === path);

const LOGIN = "Run: aws sso login --profile dev";

describe("an SSO profile", () => {
  test("requests keys of the role with the token of its sso-session", async () => {
    writeSession("acme");
    storeToken("acme", { expiresAt: at(60 * MINUTE) });

    expect(await signOnce()).toBe("ASIASSOROLE000000");

    const call = callsOf("/federation/credentials").at(-1);
    expect(call?.method).toBe("GET");
    expect(call?.query.toString()).toBe("role_name=Dev%2BOps&account_id=123456789012");
    expect(call?.headers["x-amz-sso_bearer_token"]).toBe("sso-token");
    expect(upstream.hits.at(-1)?.headers["x-amz-security-token"]).toBe("sso-session");
  });

  test("of the legacy form uses the token of its start URL, until the end and without a refresh", async () => {
    writeLegacy(START_URL);
    storeToken(START_URL, { ...CLIENT, expiresAt: at(MINUTE) });
    const before = callsOf("/token").length;

    expect(await signOnce()).toBe("ASIASSOROLE000000");

    expect(callsOf("/token").length).toBe(before);
  });

  test("is the source of a profile that assumes a role", async () => {
    writeConfig(
      `[profile dev]\nrole_arn = ${ROLE}\nsource_profile = login\nduration_seconds = 900\n[profile login]\nsso_start_url = https://source.example\nsso_region = eu-north-1\n${ACCOUNT}`,
    );
    storeToken("https://source.example", { expiresAt: at(MINUTE) });

    expect(await signOnce()).toBe("ASIAASSUMEDROLE00");

    const call = issuer.requests.at(-1);
    expect(call?.form).toMatchObject({ RoleArn: ROLE, DurationSeconds: "900" });
    expect(call?.headers.authorization).toContain("Credential=ASIASSOROLE000000/");
  });

  test("refreshes a token that soon expires, once for all registries, and stores it with mode 0600", async () => {
    writeSession("soon");
    const file = storeToken("soon", {
      ...CLIENT,
      expiresAt: at(4 * MINUTE),
      registrationExpiresAt: "2030-01-01T00:00:00Z",
    });
    chmodSync(file, 0o644);
    const before = callsOf("/token").length;

    const keys = await Promise.all([signOnce(), signOnce(), signOnce()]);

    expect(keys).toEqual(["ASIASSOREFRESHED0", "ASIASSOREFRESHED0", "ASIASSOREFRESHED0"]);
    const [call, ...more] = callsOf("/token").slice(before);
    expect(more).toEqual([]);
    expect(call).toMatchObject({ method: "POST" });
    expect(call?.headers["content-type"]).toBe("application/json");
    expect(JSON.parse(call?.text ?? "")).toEqual({ ...CLIENT, grantType: "refresh_token" });
    const stored = JSON.parse(readFileSync(file, "utf8"));
    expect(stored).toEqual({
      ...CLIENT,
      startUrl: START_URL,
      region: "eu-north-1",
      registrationExpiresAt: "2030-01-01T00:00:00Z",
      accessToken: "sso-token-2",
      refreshToken: "refresh-2",
      expiresAt: expect.any(String),
    });
    expect(Date.parse(stored.expiresAt) - clock.now().getTime()).toBeWithin(59 * MINUTE, 3.6e6 + 1);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(cache).filter((name) => !name.endsWith(".json"))).toEqual([]);
  });

  test("refreshes its token again when the clock passes the end of the keys", async () => {
    writeSession("later");
    storeToken("later", { ...CLIENT, expiresAt: at(70 * MINUTE) });
    const { chat } = await makeBedrock(await sharedNode());
    await chat();
    expect(signedWith()).toBe("ASIASSOROLE000000");

    clock.advance(75 * MINUTE);
    expect((await chat()).status).toBe(200);

    expect(signedWith()).toBe("ASIASSOREFRESHED0");
  });

  test("keeps a token that is still valid when its refresh fails, with a warning that says to sign in", async () => {
    writeSession("valid");
    storeToken("valid", { ...CLIENT, refreshToken: "revoked", expiresAt: at(4 * MINUTE) });
    const { lines } = await sharedNode();
    const before = lines.length;

    expect(await signOnce()).toBe("ASIASSOROLE000000");

    const [warning] = lines.slice(before).filter((line) => line.includes("credential_not_renewed"));
    expect(warning).toContain(`expires soon. ${LOGIN} (the refresh failed: `);
  });

  test("uses the token of another process that refreshed it first", async () => {
    writeSession("raced");
    const expiresAt = "2020-01-01T00:00:00Z";
    storeToken("raced", { ...CLIENT, refreshToken: "raced", expiresAt });

    expect(await signOnce()).toBe("ASIASSOROLE000000");
  });

  test.each([
    ["without a token", "none", undefined, "has no token in the cache of the AWS CLI"],
    ["without a refresh token", "expired", { expiresAt: "2020-01-01T00:00:00Z" }, "has expired"],
    [
      "with a revoked refresh token",
      "revoked",
      { ...CLIENT, refreshToken: "revoked", expiresAt: "2020-01-01T00:00:00Z" },
      "has expired",
    ],
    [
      "that has signed out",
      "signed-out",
      { accessToken: "signed-out", expiresAt: "2100-01-01T00:00:00Z" },
      "is no longer valid",
    ],
    [
      "with a damaged token",
      "damaged",
      { accessToken: 7 },
      "has no token in the cache of the AWS CLI",
    ],
  ])("%s is an error that says to sign in", async (_, session, token, problem) => {
    writeSession(session);
    if (token) storeToken(session, token);

    const message = await signOnce();

    expect(message).toContain(`The SSO session of the AWS profile "dev" ${problem}. ${LOGIN}`);
    expect(message).not.toContain("secret text");
    expect(message?.includes("400 (invalid_grant)")).toBe(session === "revoked");
    const { lines } = await sharedNode();
    expect(lines.join()).not.toMatch(/client-secret|revoked/);
    expect(lines.at(-1)).toContain(LOGIN);
  });

  test.each([
    ["no sso_role_name", "sso_account_id = 1\nsso_session = s\n", "without sso_role_name"],
    ["an unknown session", `sso_session = gone\n${ACCOUNT}`, 'session "gone", which does not'],
    [
      "another region than its session",
      `sso_session = s\nsso_region = us-east-1\n${ACCOUNT}`,
      "different values of sso_region",
    ],
  ])("with %s is an error that names it", async (_, profile, problem) => {
    const session = `[sso-session s]\nsso_region = eu-north-1\nsso_start_url = ${START_URL}\n`;
    writeConfig(`[profile dev]\n${profile}${session}`);

    expect(await signOnce()).toContain(problem);
  });

  test("calls the endpoints of its region, through the proxy of the installation", async () => {
    const region = "cn-north-1";
    await using proxy = await startConnectProxy({ refuse: 403 });
    const env = { HOME: home, AWS_PROFILE: "dev" };
    await using kit = await startKit({ env, settings: { EGRESS_PROXY: proxy.url } });
    writeConfig(
      `[profile dev]\nsso_session = china\n${ACCOUNT}[sso-session china]\nsso_region = ${region}\nsso_start_url = https://acme.example\n`,
    );
    const expiresAt = new Date(Date.now() + 2 * MINUTE).toISOString();
    storeToken("china", { ...CLIENT, expiresAt });
    const { chat } = await makeBedrock(kit);

    expect((await chat()).status).toBe(502);

    expect(proxy.targets).toEqual([
      "oidc.cn-north-1.amazonaws.com.cn:443",
      "portal.sso.cn-north-1.amazonaws.com.cn:443",
    ]);
  });
});

test("a refreshed SSO token stays in memory when its folder is read-only", async () => {
  writeSession("read-only");
  const file = storeToken("read-only", { ...CLIENT, expiresAt: "2020-01-01T00:00:00Z" });
  const before = readFileSync(file, "utf8");
  chmodSync(cache, 0o500);
  await using program = await startProgram({ settings: ENV, by: WITHOUT_ROOT_RIGHTS });
  const calls = callsOf("/token").length;

  const first = await makeBedrock(program);
  const second = await makeBedrock(program);
  const replies = [await first.chat(), await second.chat()];
  chmodSync(cache, 0o700);

  expect(replies.map(({ status }) => status)).toEqual([200, 200]);
  expect(signedWith()).toBe("ASIASSOREFRESHED0");
  expect(callsOf("/token").length).toBe(calls + 1);
  expect(readFileSync(file, "utf8")).toBe(before);
}, 30_000);

test.each([
  ["an SSO token", "sso\r\nx-other: 1", 'The header "x-amz-sso_bearer_token" is invalid.'],
  ["a session token", "damaged-session", "session token has characters that a header cannot have"],
])("%s that cannot be sent is an error of the credential", async (_, accessToken, problem) => {
  writeSession("unprintable");
  storeToken("unprintable", { accessToken, expiresAt: "2100-01-01T00:00:00Z" });

  const message = await signOnce();

  expect(message).toContain(problem);
  expect(message).not.toContain("x-other");
});

const KEYS = (id: string) => `aws_access_key_id = ${id}\naws_secret_access_key = ${SECRET}\n`;

/** A program that counts its runs in a file and prints these members. */
function writeProgram(name: string, members: object, status = 0): string {
  const file = join(home, name);
  const output = JSON.stringify({ Version: 1, SecretAccessKey: SECRET, ...members });
  const script = `#!/bin/sh\necho run >> '${file}.runs'\necho 'note: ${SECRET}' >&2\necho '${output}'\nexit ${status}\n`;
  writeFileSync(file, script, { mode: 0o700 });
  return file;
}
const countRuns = (file: string) => readFileSync(`${file}.runs`, "utf8").split("\n").length - 1;

const SIGN_IN = "Run: aws login --profile dev";

describe("a login session", () => {
  test("signs with the stored keys", async () => {
    writeLogin(USER);
    storeLogin(USER, at(10 * MINUTE));
    const before = issuer.requests.length;

    expect(await signOnce()).toBe("ASIALOGIN00000000");

    expect(upstream.hits.at(-1)?.headers["x-amz-security-token"]).toBe("login");
    expect(issuer.requests.length).toBe(before);
  });

  test("is the source of a profile that assumes a role", async () => {
    writeConfig(
      `[profile dev]\nrole_arn = ${ROLE}\nsource_profile = login\n[profile login]\nlogin_session = ${USER}\n`,
    );
    storeLogin(USER, at(10 * MINUTE));

    expect(await signOnce()).toBe("ASIAASSUMEDROLE00");

    expect(issuer.requests.at(-1)?.headers.authorization).toContain("=ASIALOGIN00000000/");
  });

  test("refreshes keys that soon expire, with a proof of its key, and stores them with mode 0600", async () => {
    const session = `${USER}-soon`;
    writeLogin(session);
    const file = storeLogin(session, at(4 * MINUTE));
    const { idToken, tokenType } = JSON.parse(readFileSync(file, "utf8"));
    const before = issuer.requests.length;

    const keys = await Promise.all([signOnce(), signOnce()]);

    expect(keys).toEqual(["ASIALOGINREFRESH0", "ASIALOGINREFRESH0"]);
    const [call, ...more] = issuer.requests.slice(before);
    expect(more).toEqual([]);
    expect(call).toMatchObject({ method: "POST", path: "/v1/token" });
    const { clientId } = LOGIN_CLIENT;
    const body = { clientId, refreshToken: "login-1", grantType: "refresh_token" };
    expect(JSON.parse(call?.text ?? "")).toEqual(body);
    const { header, claims } = readProof(call?.headers.dpop);
    const { kty, crv, x, y } = dpop.publicKey.export({ format: "jwk" });
    expect(header).toEqual({ alg: "ES256", typ: "dpop+jwt", jwk: { kty, crv, x, y } });
    const htu = `${issuer.url}/v1/token`;
    const iat = Math.floor(clock.now().getTime() / 1000);
    expect(claims).toEqual({ jti: expect.any(String), htm: "POST", htu, iat: expect.any(Number) });
    expect(claims.iat).toBeWithin(iat - 60, iat + 1);
    const stored = JSON.parse(readFileSync(file, "utf8"));
    expect(stored).toEqual({
      ...LOGIN_CLIENT,
      idToken,
      tokenType,
      accessToken: {
        accessKeyId: "ASIALOGINREFRESH0",
        secretAccessKey: SECRET,
        sessionToken: "login-session-2",
        accountId: "123456789012",
        expiresAt: expect.any(String),
      },
      refreshToken: "login-2",
    });
    const left = Date.parse(stored.accessToken.expiresAt) - clock.now().getTime();
    expect(left).toBeWithin(14 * MINUTE, 15 * MINUTE + 1);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("refreshes its keys again before they expire", async () => {
    const session = `${USER}-later`;
    writeLogin(session);
    storeLogin(session, at(15 * MINUTE));
    const { chat } = await makeBedrock(await sharedNode());
    await chat();
    expect(signedWith()).toBe("ASIALOGIN00000000");

    clock.advance(16 * MINUTE);
    expect((await chat()).status).toBe(200);

    expect(signedWith()).toBe("ASIALOGINREFRESH0");
  });

  test.each([
    ["without stored keys", "none", undefined, {}, "has no token in the cache of the AWS CLI"],
    ["with a damaged file", "damaged", 10, { accessToken: 7 }, "has no token in the cache"],
    ["that has ended", "ended", -1, { refreshToken: "revoked" }, "has expired"],
    ["whose key is damaged", "no-key", -1, { dpopKey: "no key" }, "has expired"],
  ])("%s is an error that says to sign in", async (_, session, minutes, members, problem) => {
    writeLogin(session);
    if (minutes) storeLogin(session, at(minutes * MINUTE), members);

    const message = await signOnce();

    expect(message).toContain(`The login session of the AWS profile "dev" ${problem}`);
    expect(message).toContain(SIGN_IN);
    expect(message?.includes("400 (TOKEN_EXPIRED)")).toBe(session === "ended");
    expect(message?.includes("key of the stored login cannot be read")).toBe(session === "no-key");
    const { lines } = await sharedNode();
    expect(lines.join()).not.toMatch(/secret text|BEGIN EC/);
    expect(lines.at(-1)).toContain(SIGN_IN);
  });

  test("keeps keys that are still valid when their refresh fails, with a warning that says to sign in", async () => {
    const session = `${USER}-valid`;
    writeLogin(session);
    storeLogin(session, at(4 * MINUTE), { refreshToken: "revoked" });
    const { lines } = await sharedNode();
    const before = lines.length;

    expect(await signOnce()).toBe("ASIALOGIN00000000");

    const [warning] = lines.slice(before).filter((line) => line.includes("credential_not_renewed"));
    expect(warning).toContain(`expires soon. ${SIGN_IN} (the refresh failed: `);
  });

  test.each([
    [
      "its own region",
      { signInRegion: "us-gov-west-1" },
      "us-gov-west-1.signin.amazonaws-us-gov.com",
    ],
    ["that of its profile", {}, "eu-north-1.signin.aws.amazon.com"],
  ])("calls AWS Sign-In of %s, through the proxy of the installation", async (_, members, host) => {
    await using proxy = await startConnectProxy({ refuse: 403 });
    const directory = mkdtempSync(join(home, "logins-"));
    const env = { HOME: home, AWS_PROFILE: "dev", AWS_LOGIN_CACHE_DIRECTORY: directory };
    await using kit = await startKit({ env, settings: { EGRESS_PROXY: proxy.url } });
    writeLogin(USER);
    const file = storeLogin(USER, "2020-01-01T00:00:00Z", members);
    renameSync(file, join(directory, basename(file)));
    const { chat } = await makeBedrock(kit);

    expect((await chat()).status).toBe(502);

    expect(proxy.targets).toEqual([`${host}:443`]);
  });
});

describe("a credential_process", () => {
  const runs = (command: string) => writeConfig(`[profile dev]\ncredential_process = ${command}\n`);

  test("prints the keys, and runs again before they expire", async () => {
    const keys = { AccessKeyId: "ASIAPROCESS000000", SessionToken: "process-session" };
    const file = writeProgram("temporary", { ...keys, Expiration: at(60 * MINUTE) });
    runs(`"${file}" 'an argument' # with a comment`);
    const { chat } = await makeBedrock(await sharedNode());

    await Promise.all([chat(), chat()]);

    expect(signedWith()).toBe("ASIAPROCESS000000");
    expect(upstream.hits.at(-1)?.headers["x-amz-security-token"]).toBe("process-session");
    expect(countRuns(file)).toBe(1);
    writeProgram("temporary", { ...keys, Expiration: at(180 * MINUTE) });
    clock.advance(61 * MINUTE);
    await chat();
    expect(countRuns(file)).toBe(2);
  });

  test("runs once for keys that do not expire", async () => {
    const file = writeProgram("permanent", { AccessKeyId: "AKIAPROCESS000000" });
    runs(file);
    const { chat } = await makeBedrock(await sharedNode());

    await chat();
    clock.advance(24 * 60 * MINUTE);
    await chat();

    expect(signedWith()).toBe("AKIAPROCESS000000");
    expect(countRuns(file)).toBe(1);
  });

  test.each([
    ["fails", writeProgram("failing", { AccessKeyId: "A" }, 3), "exited with status 3"],
    ["does not exist", join(home, "missing"), "exited with status 127"],
    ["prints another version", writeProgram("v2", { AccessKeyId: "A", Version: 2 }), "Version 1"],
    ["prints no keys", writeProgram("empty", {}), "did not print JSON with Version 1"],
    ["prints no JSON", `echo ${SECRET}`, "did not print JSON with Version 1"],
    ["prints too much", "yes", "printed more than 64 KiB"],
    ["cannot be started", `echo ${"a".repeat(200_000)}`, "could not be started in /bin/sh"],
    [
      "prints expired keys",
      writeProgram("old", { AccessKeyId: "A", Expiration: "2020-01-01T00:00:00Z" }),
      "printed keys that have expired",
    ],
  ])("that %s is an error without its output", async (_, command, problem) => {
    runs(command);

    const message = await signOnce();

    expect(message).toContain(`The credential_process of the AWS profile "dev" `);
    expect(message).toContain(problem);
    expect(message).not.toContain(SECRET);
    expect((await sharedNode()).lines.join()).not.toContain(SECRET);
  });
});

describe("a profile with several credentials", () => {
  const process = `credential_process = ${writeProgram("several", { AccessKeyId: "AKIAPROCESS000000" })}\n`;
  writeFileSync(join(home, "token"), "e.y.J");
  const webIdentity = `role_arn = ${ROLE}\nweb_identity_token_file = ${join(home, "token")}\n`;
  const sso = `sso_start_url = https://several.example\nsso_region = eu-north-1\n${ACCOUNT}`;
  const assumed = `role_arn = ${ROLE}\nsource_profile = other\n`;
  const other = `[profile other]\n${KEYS("AKIAOTHER00000000")}`;

  test.each([
    ["its role before its keys", KEYS("AKIAOWN0000000000") + assumed, "ASIAASSUMEDROLE00"],
    [
      "its keys before a web identity",
      KEYS("AKIAOWN0000000000") + webIdentity,
      "AKIAOWN0000000000",
    ],
    ["a web identity before a process", process + webIdentity, "ASIAWEBIDENTITY00"],
    ["a process before SSO", sso + process, "AKIAPROCESS000000"],
    ["SSO before a login session", `login_session = ${USER}\n${sso}`, "ASIASSOROLE000000"],
  ])("uses %s", async (_, profile, id) => {
    storeToken("https://several.example", { expiresAt: at(60 * MINUTE) });
    writeConfig(`${other}[profile dev]\n${profile}`);

    expect(await signOnce()).toBe(id);
  });

  test.each([
    [
      "a source with keys and a role of its own uses its keys",
      `${assumed}[profile other]\n${KEYS("AKIAOTHER00000000")}role_arn = ${ROLE}\nsource_profile = third\n`,
    ],
    [
      "a profile that names itself uses its keys",
      `${KEYS("AKIAOTHER00000000")}role_arn = ${ROLE}\nsource_profile = dev\n`,
    ],
  ])("%s", async (_, profile) => {
    writeConfig(`[profile dev]\n${profile}`);

    expect(await signOnce()).toBe("ASIAASSUMEDROLE00");

    expect(issuer.requests.at(-1)?.headers.authorization).toContain(
      "Credential=AKIAOTHER00000000/",
    );
  });

  test.each([
    [`${assumed}credential_source = Environment\n`, "a source_profile and a credential_source"],
    [`${assumed}mfa_serial = arn:aws:iam::1:mfa/a\n`, "a server cannot enter a code"],
    [`${assumed}[profile other]\nrole_arn = ${ROLE}\nsource_profile = dev\n`, "part of a cycle"],
  ])("rejects %j", async (profile, problem) => {
    writeConfig(`[profile dev]\n${profile}`);

    expect(await signOnce()).toContain(problem);
  });
});

test.each([
  ["with a quoted name", `[profile "dev"]\n${KEYS("AKIAREAD000000000")}`],
  ["with comments", `# file\n[profile dev] ; section\n; member\n${KEYS("AKIAREAD000000000 # id")}`],
  ["with indented members", `[profile dev]\n  ${KEYS("AKIAREAD000000000")}`],
  [
    "after nested settings",
    `[profile dev]\ns3 =\n  aws_access_key_id = no\n${KEYS("AKIAREAD000000000")}`,
  ],
  [
    "next to a section without the word profile",
    `[dev]\n${KEYS("AKIAIGNORED000000")}[profile dev]\n${KEYS("AKIAREAD000000000")}`,
  ],
])("the config file is read %s", async (_, text) => {
  writeConfig(text);

  expect(await signOnce()).toBe("AKIAREAD000000000");
});
