/** Administration of cloud identities: who may choose one, what it requires, and where its secrets may go. */
import { describe, expect, test } from "bun:test";
import { adminClient } from "../kit/admin-client.ts";
import { unique } from "../kit/guard.ts";
import { sharedKit } from "../kit/kit.ts";
import { databaseKinds } from "../kit/services.ts";

const KEYS = {
  type: "aws",
  access_key_id: "AKIAIOSFODNN7EXAMPLE",
  secret_access_key: "planted-secret-access-key",
  session_token: "planted-session-token",
};
const APP = {
  type: "azure",
  tenant_id: "tenant",
  client_id: "app",
  client_secret: "planted-client-secret",
};
const bedrock = (auth: object, more: object = {}) => ({
  name: unique("bedrock"),
  provider: "bedrock",
  provider_options: { region: "eu-west-1" },
  auth,
  ...more,
});
const azure = (auth: object) => ({
  name: unique("azure"),
  provider: "azure",
  provider_options: { endpoint: "https://x.openai.azure.com" },
  auth,
});
const vertex = (auth: object) => ({
  name: unique("vertex"),
  provider: "vertex",
  provider_options: { project: "acme-prod", location: "global" },
  auth,
});

interface Stored {
  id: string;
  auth: Record<string, string>;
}

describe.each(databaseKinds)("on %s", (database) => {
  const started = sharedKit({ database });
  const open = async () => {
    const kit = await started();
    const { id } = await kit.make("/v1/gateways", { name: "g" });
    const signIn = async (members: object) => {
      const body = { name: unique("token"), ...members };
      const { token } = await kit.make<{ token: string }>("/v1/tokens", body);
      return adminClient(kit.url, token);
    };
    const admin = await signIn({ role: "admin" });
    const limitedOwner = await signIn({ role: "owner", gateway_ids: [id] });
    return { kit, list: `/v1/gateways/${id}/registries`, admin, limitedOwner };
  };

  test.each([
    ["the default chain", bedrock({ type: "aws", source: "default_chain" })],
    ["a managed identity", azure({ type: "azure", source: "managed_identity" })],
    ["a workload identity", azure({ type: "azure", source: "workload_identity" })],
    ["the metadata server", vertex({ type: "gcp_service_account", source: "metadata" })],
  ])("only an owner of all gateways may choose %s", async (_, body) => {
    const { kit, list, admin, limitedOwner } = await open();

    const refused = await admin.call("POST", list, body);
    const tested = await admin.call("POST", `${list}/test-connection`, body);
    const limited = await limitedOwner.call("POST", list, body);

    expect([refused.status, tested.status, limited.status]).toEqual([403, 403, 403]);
    expect(await refused.json()).toMatchObject({ message: expect.stringContaining("auth.source") });
    expect((await kit.post(list, body)).status).toBe(201);
  });

  test("an administrator cannot move a registry with the machine's identity, but can rename it", async () => {
    const { kit, list, admin } = await open();
    const { id } = await kit.make<Stored>(list, bedrock({ type: "aws", source: "default_chain" }));
    const base_url = "https://attacker.example.net/v1";

    const moved = await admin.call("PUT", `${list}/${id}`, {
      provider_options: { region: "eu-west-1", base_url },
    });
    const renamed = await admin.call("PUT", `${list}/${id}`, { name: unique("renamed") });

    expect([moved.status, renamed.status]).toEqual([403, 200]);
  });

  test("an administrator cannot replace the external account that the machine's tokens are sent to", async () => {
    const { kit, list, admin } = await open();
    const account = (token_url: string) =>
      JSON.stringify({
        type: "external_account",
        audience: "pool",
        subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
        token_url,
        credential_source: { file: "/var/run/secrets/token" },
      });
    const auth = { type: "gcp_service_account", source: "workload_identity" };
    const credentials = account("https://sts.googleapis.com/v1/token");
    const made = await kit.make<Stored>(list, vertex({ ...auth, credentials }));
    const put = (body: object) => admin.call("PUT", `${list}/${made.id}`, body);

    const replaced = await put({
      auth: { ...auth, credentials: account("https://attacker.example.net/token") },
    });
    const kept = await put({ name: unique("renamed"), auth: made.auth });

    expect([replaced.status, kept.status]).toEqual([403, 200]);
  });

  test("an administrator cannot replace a key whose token endpoint may be private, or a private proxy", async () => {
    const { kit, list, admin } = await open();
    const key = (token_uri: string) =>
      JSON.stringify({
        type: "service_account",
        client_email: "a@b",
        private_key: "PRIVATE KEY",
        token_uri,
      });
    const auth = { type: "gcp_service_account", credentials: key("http://10.0.0.1/token") };
    const options = { project: "acme-prod", location: "global", proxy_url: "http://10.0.0.2:3128" };
    const { id } = await kit.make<Stored>(list, {
      ...vertex(auth),
      provider_options: options,
      allow_private: true,
    });
    const put = (body: object) => admin.call("PUT", `${list}/${id}`, body);

    const moved = await put({ auth: { ...auth, credentials: key("http://10.0.0.9/token") } });
    const proxied = await put({
      provider_options: { ...options, proxy_url: "http://10.0.0.9:3128" },
      auth,
    });
    const same = await put({ provider_options: options, auth });

    expect([moved.status, proxied.status, same.status]).toEqual([403, 403, 200]);
  });

  test("secrets are masked, kept when sent masked or empty, and sealed", async () => {
    const { kit, list } = await open();
    const { id, auth } = await kit.make<Stored>(list, bedrock(KEYS));

    expect(auth).toMatchObject({ secret_access_key: "***-key", session_token: "***oken" });
    await kit.put(`${list}/${id}`, { auth });
    await kit.put(`${list}/${id}`, { auth: { ...KEYS, secret_access_key: "", session_token: "" } });

    const stored = kit.deps.snapshot().registries.get(id)?.upstream.identity;
    expect(stored).toMatchObject(KEYS);
    const rows = await kit.db.many<{ auth: unknown }>("SELECT auth FROM registries");
    expect(JSON.stringify(rows)).not.toContain("planted");
    expect(await (await kit.get("/v1/audit")).text()).not.toContain("planted");
  });
});

const started = sharedKit();

describe("a stored secret must be sent again when", () => {
  const path = async () => {
    const kit = await started();
    const { id } = await kit.make("/v1/gateways", { name: "g" });
    return { kit, list: `/v1/gateways/${id}/registries` };
  };

  test.each([
    ["the authority changes", azure(APP), { authority_host: "https://attacker.example.net" }],
    ["the tenant changes", azure(APP), { tenant_id: "other" }],
    ["the access key changes", bedrock(KEYS), { access_key_id: "AKIAOTHER0000000EXAM" }],
  ])("%s", async (_, body, change) => {
    const { kit, list } = await path();
    const { id, auth } = await kit.make<Stored>(list, body);

    const reply = await kit.put(`${list}/${id}`, { auth: { ...auth, ...change } });

    expect(reply.status).toBe(422);
    expect(await reply.json()).toMatchObject({
      message: expect.stringContaining("must be sent again"),
    });
  });

  test("the registry moves to another host", async () => {
    const { kit, list } = await path();
    const { id, auth } = await kit.make<Stored>(list, bedrock(KEYS));
    const provider_options = { region: "eu-west-1", base_url: "https://attacker.example.net" };

    expect((await kit.put(`${list}/${id}`, { auth, provider_options })).status).toBe(422);
  });
});

test.each([
  ["a type that the provider does not have", bedrock(APP), "auth.type: must be api_key or aws"],
  ["an API key for Vertex", vertex({ type: "api_key", api_key: "k" }), "auth.type"],
  [
    "a cloud identity for OpenAI",
    { ...bedrock(KEYS), provider: "openai", provider_options: {} },
    "auth.type",
  ],
  [
    "an access key without its secret",
    bedrock({ ...KEYS, secret_access_key: undefined }),
    "auth.secret_access_key: is required",
  ],
  [
    "keys beside the default chain",
    bedrock({ ...KEYS, source: "default_chain" }),
    "auth.access_key_id: must be left out",
  ],
  [
    "an external id without a role",
    bedrock({ ...KEYS, external_id: "abc" }),
    "auth.external_id: requires role_arn",
  ],
  ["a role that is not an ARN", bedrock({ ...KEYS, role_arn: "admin" }), "auth.role_arn"],
  [
    "a private authority",
    azure({ ...APP, authority_host: "http://10.0.0.1" }),
    "auth.authority_host",
  ],
  [
    "a location that is another host",
    {
      ...vertex({ type: "gcp_service_account", source: "metadata" }),
      provider_options: { project: "p", location: "evil.example/" },
    },
    "provider_options.location",
  ],
])("%s is a 422 that names the member", async (_, body, message) => {
  const kit = await started();
  const { id } = await kit.make("/v1/gateways", { name: "g" });

  const reply = await kit.post(`/v1/gateways/${id}/registries`, body);

  expect(reply.status).toBe(422);
  expect(await reply.text()).toContain(message);
});
