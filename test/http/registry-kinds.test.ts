/** Registries: the options of each kind; options without effect are rejected. */
import { expect, test } from "bun:test";
import { KINDS, listAuthTypes } from "../../src/contract/gateway/registries.ts";
import { sharedKit } from "../kit/kit.ts";
import { startUpstream } from "../kit/upstream.ts";

const started = sharedKit();
const auth = { type: "api_key", api_key: "sk-0123456789abcdef" };
const gatewayPath = async () => {
  const kit = await started();
  return `/v1/gateways/${(await kit.make("/v1/gateways", { name: "g" })).id}`;
};
const OPTIONS: Record<string, object> = {
  azure: { endpoint: "https://x.openai.azure.com" },
  openai_compatible: { base_url: "https://x.example.com/v1" },
  bedrock: { region: "eu-central-1" },
  vertex: { project: "acme-prod", location: "europe-west4" },
};

const AUTH: Record<string, object> = {
  vertex: { type: "gcp_service_account", source: "metadata" },
};

test.each([...KINDS])(
  "a registry of the kind %s is created and shows its capabilities",
  async (provider) => {
    const kit = await started();
    const path = await gatewayPath();

    const reply = await kit.post(`${path}/registries`, {
      name: provider,
      provider,
      provider_options: OPTIONS[provider] ?? {},
      ...(provider === "demo" ? {} : { auth: AUTH[provider] ?? auth }),
    });

    expect(reply.status).toBe(201);
    expect(await reply.json()).toMatchObject({
      provider,
      type: "llm",
      enabled: true,
      allow_private: false,
      capabilities: expect.arrayContaining(["chat"]),
    });
  },
);

test.each([
  ["an unknown provider", { provider: "acme" }, "provider"],
  [
    "a compatible one without an address",
    { provider: "openai_compatible" },
    "provider_options.base_url",
  ],
  [
    "an option the kind does not have",
    { provider_options: { region: "x" } },
    "provider_options.region",
  ],
  [
    "a capability the kind does not have",
    { provider: "groq", capabilities: ["images"] },
    "capabilities[0]",
  ],
  [
    "a fragment that cuts the address short (portkey #1597)",
    { provider: "azure", provider_options: { endpoint: "https://evil.example#.openai.azure.com" } },
    "provider_options.endpoint",
  ],
  [
    "a region that is another host",
    { provider: "bedrock", provider_options: { region: "us-east-1.evil.example/#" } },
    "provider_options.region",
  ],
  ["no key", { auth: null }, "auth"],
  ["another way to authenticate", { auth: { type: "oauth2", token_url: "https://x" } }, "auth"],
  [
    "an address that is not one",
    { provider_options: { base_url: "nonsense" } },
    "provider_options.base_url",
  ],
  [
    "a user in the address",
    { provider_options: { base_url: "https://a:b@x.example.com" } },
    "provider_options.base_url",
  ],
  [
    "plain http",
    { provider_options: { base_url: "http://x.example.com" } },
    "provider_options.base_url",
  ],
  [
    "loopback",
    { provider_options: { base_url: "https://127.0.0.1/v1" } },
    "provider_options.base_url",
  ],
  [
    "loopback in an odd spelling",
    { provider_options: { base_url: "https://0x7f.1/v1" } },
    "provider_options.base_url",
  ],
  [
    "cloud metadata",
    { provider_options: { base_url: "https://169.254.169.254/" } },
    "provider_options.base_url",
  ],
  [
    "IPv6 loopback",
    { provider_options: { base_url: "https://[::1]/v1" } },
    "provider_options.base_url",
  ],
  [
    "a reserved header",
    {
      provider: "openai_compatible",
      provider_options: { base_url: "https://x.example.com", headers: { Host: "y" } },
    },
    "headers",
  ],
  ["an MCP registry with an AI provider", { type: "mcp" }, "provider"],
])("%s is 422 and named", async (_, change, named) => {
  const kit = await started();
  const path = await gatewayPath();

  const reply = await kit.post(`${path}/registries`, {
    name: "r",
    provider: "openai",
    auth,
    ...change,
  });

  expect(reply.status).toBe(422);
  expect(await reply.json()).toEqual({
    error: "validation_failed",
    message: expect.stringContaining(named),
  });
});

test("allow_private permits a loopback address", async () => {
  const kit = await started();
  const path = await gatewayPath();

  const reply = await kit.post(`${path}/registries`, {
    name: "r",
    provider: "openai",
    auth,
    provider_options: { base_url: "http://127.0.0.1:9/v1" },
    allow_private: true,
  });

  expect(reply.status).toBe(201);
});

test("capabilities restrict the kind, and null removes the restriction", async () => {
  const kit = await started();
  const path = await gatewayPath();
  const { id } = await kit.make(`${path}/registries`, {
    name: "r",
    provider: "demo",
    capabilities: ["chat"],
  });

  const renamed = await kit.put(`${path}/registries/${id}`, { name: "still narrow" });
  const widened = await kit.put(`${path}/registries/${id}`, { capabilities: null });

  expect(await renamed.json()).toMatchObject({ capabilities: ["chat"] });
  expect(((await widened.json()) as { capabilities: string[] }).capabilities).toContain("files");
});

test("the kinds are listed with their capabilities and option schemas", async () => {
  const kit = await started();

  const { items } = (await (await kit.get("/v1/registry-kinds")).json()) as {
    items: Record<string, unknown>[];
  };

  expect(items.map(({ kind }) => kind)).toEqual([...KINDS]);
  expect(items[1]).toMatchObject({
    kind: "azure",
    needs_key: true,
    options_schema: { required: ["endpoint"] },
  });
});

const tested = async (body: object) => {
  const kit = await started();
  const path = await gatewayPath();
  const reply = await kit.post(`${path}/registries/test-connection`, body);
  return { status: reply.status, report: (await reply.json()) as Record<string, unknown> };
};

test("test-connection returns ok for the demo provider, saved or not", async () => {
  const kit = await started();
  const path = await gatewayPath();
  const { id } = await kit.make(`${path}/registries`, { name: "r", provider: "demo" });

  const saved = await (await kit.post(`${path}/registries/test-connection`, { id })).json();
  const { report } = await tested({ name: "r", provider: "demo" });

  expect(saved).toMatchObject({ ok: true, stage: "answer", provider: "demo", status_code: 200 });
  expect(report).toMatchObject({ ok: true });
});

test("test-connection distinguishes a rejected key, a closed port and a private address", async () => {
  using upstream = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => new Response("", { status: 401 }),
  });
  const at = (base_url: string) => ({
    name: "r",
    provider: "openai",
    auth,
    provider_options: { base_url },
    allow_private: true,
  });

  const refused = await tested(at(`${upstream.url.origin}/v1`));
  const closed = await tested(at("http://127.0.0.1:1/v1"));

  expect(refused).toMatchObject({
    status: 200,
    report: { ok: false, stage: "credential", status_code: 401 },
  });
  expect(closed).toMatchObject({
    status: 200,
    report: { ok: false, stage: "connect", status_code: null },
  });
});

test.each([
  ["everything", { allowed: ["*"] }, "models.allowed[0]"],
  ["a padded entry", { allowed: [" a"] }, "models.allowed[0]"],
  ["an empty list", { allowed: [] }, "models.allowed"],
  ["a pattern as default", { allowed: ["a*"], default: "a*" }, "models.default"],
  ["a default outside", { allowed: ["a"], default: "b" }, "models.default"],
])("a model policy with %s is 422", async (_, models, named) => {
  const kit = await started();
  const path = await gatewayPath();
  const { id } = await kit.make(`${path}/registries`, { name: "r", provider: "demo" });

  const reply = await kit.post(`${path}/consumers`, { name: "c", registries: [{ id, models }] });

  expect(reply.status).toBe(422);
  expect(await reply.json()).toMatchObject({ message: expect.stringContaining(named) });
});

test.each([["v1"], ["console"], ["docs"], ["healthz"], ["UPPER"], ["-a"], ["a".repeat(64)]])(
  "the consumer slug %s is 422",
  async (slug) => {
    const kit = await started();
    const path = await gatewayPath();

    const reply = await kit.post(`${path}/consumers`, { name: "c", slug });

    expect(reply.status).toBe(422);
    expect(await reply.json()).toMatchObject({ message: expect.stringContaining("slug") });
  },
);

test("a missing consumer slug is generated: 8 characters of [a-z0-9]", async () => {
  const kit = await started();
  const path = await gatewayPath();

  const consumer = await kit.make<{ slug: string }>(`${path}/consumers`, { name: "c" });

  expect(consumer.slug).toMatch(/^[a-z0-9]{8}$/);
});

test("rotating a key creates a successor, and the old key expires after the overlap", async () => {
  const kit = await started();
  const path = await gatewayPath();
  const { id } = await kit.make(`${path}/consumers`, { name: "c" });
  const keys = `${path}/consumers/${id}/keys`;
  const old = await kit.make<{ id: string; key: string; hint: string }>(keys, { name: "k" });

  const reply = await kit.post(`${keys}/${old.id}/rotate`, { overlap_s: 60 });

  const next = (await reply.json()) as { id: string; key: string; expires_at: null };
  const shown = (await (await kit.get(`${keys}/${old.id}`)).json()) as {
    expires_at: string;
    state: string;
  };
  expect(old.key).toMatch(/^ag_[\w-]{43}$/);
  expect(old.hint).toBe(`${old.key.slice(0, 7)}…`);
  expect(next.key).not.toBe(old.key);
  expect(next.expires_at).toBeNull();
  expect(shown.state).toBe("active");
  expect(Date.parse(shown.expires_at) - Date.now()).toBeWithin(50_000, 61_000);
});

test("a rotated key expires with the overlap, regardless of the time zone of its expiry", async () => {
  const kit = await started();
  const path = await gatewayPath();
  const { id } = await kit.make(`${path}/consumers`, { name: "c" });
  const keys = `${path}/consumers/${id}/keys`;
  // Nine hours from now, by clocks that are ten hours behind: as a text it is earlier than now.
  const there = new Date(Date.now() - 3_600_000).toISOString().replace("Z", "-10:00");
  const old = await kit.make(keys, { name: "k", expires_at: there });

  await kit.post(`${keys}/${old.id}/rotate`, { overlap_s: 60 });

  const { expires_at } = await (await kit.get(`${keys}/${old.id}`)).json();
  expect(Date.parse(expires_at) - Date.now()).toBeWithin(50_000, 61_000);
});

test.each(KINDS.filter((kind) => listAuthTypes(kind).includes("api_key")))(
  "test-connection of %s makes no billable call (litellm #13668)",
  async (provider) => {
    await using upstream = startUpstream();
    const at = provider === "azure" ? { endpoint: upstream.url } : { base_url: upstream.url };
    const provider_options = { ...(provider === "bedrock" && { region: "eu-central-1" }), ...at };

    const { report } = await tested({
      name: "r",
      provider,
      provider_options,
      auth,
      allow_private: true,
    });

    expect(report).toMatchObject({ ok: true });
    expect(upstream.hits.map(({ method }) => method)).toEqual(["GET"]);
    expect(upstream.hits[0]?.path).toMatch(/\/((foundation-)?models|key)$/);
  },
);
