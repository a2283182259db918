/** A configuration file can express everything that the admin API can set, or the reason is listed here. */
import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { parse } from "yaml";
import type { z } from "zod";
import { exportConfig } from "../../src/config-file/export.ts";
import * as file from "../../src/config-file/schema.ts";
import type { Endpoint } from "../../src/contract/endpoint.ts";
import { AccessRuleInput } from "../../src/contract/store/access.ts";
import { CatalogEntryInput } from "../../src/contract/store/catalog.ts";
import { IssuerInput } from "../../src/contract/store/principals.ts";
import { detectors } from "../../src/policy/detectors/all.ts";
import { startKit } from "../kit/kit.ts";
import { databaseKinds } from "../kit/services.ts";
import { applyText } from "./apply-text.ts";
import { membersIn, membersOf } from "./members.ts";

interface Covered {
  item: z.ZodType;
  /** Members that the file writes under another name: it refers to names, not to ids. */
  renamed?: Record<string, string>;
  /** Members that describe the change, not the resource. */
  omitted?: readonly string[];
}

/** Schema in the file of what each endpoint writes. */
const gateway: Covered = {
  item: file.ConfigGateway,
  renamed: { "guard.collector_id": "guard.collector" },
};
const registry: Covered = { item: file.ConfigRegistry };
const consumer: Covered = {
  item: file.ConfigConsumer,
  renamed: {
    "registries.id": "registries.registry",
    "guard.collector_id": "guard.collector",
  },
};
const detector: Covered = { item: file.ConfigDetector };
const policy: Covered = {
  item: file.ConfigPolicy,
  renamed: {
    "input_rules.detector_id": "input_rules.detector",
    "output_rules.detector_id": "output_rules.detector",
  },
  omitted: ["note"],
};
const collector: Covered = {
  item: file.ConfigCollector,
  renamed: { gateway_id: "gateway", default_policy_id: "default_policy" },
};
const COVERED: Record<string, Covered> = {
  create_gateway: gateway,
  update_gateway: gateway,
  configure_gateway: gateway,
  reconfigure_gateway: gateway,
  create_registry: registry,
  update_registry: registry,
  create_consumer: consumer,
  update_consumer: consumer,
  create_consumer_key: { item: file.ConfigKey },
  create_detector: detector,
  update_detector: detector,
  create_policy: policy,
  update_policy: policy,
  create_collector: collector,
  update_collector: collector,
  set_override: { item: file.ConfigOverride, renamed: { policy_id: "policy" } },
  create_collector_key: { item: file.ConfigKey },
  create_service_client: { item: file.ConfigServiceClient },
  create_token: { item: file.ConfigAdminToken, renamed: { gateway_ids: "gateways" } },
  create_access_rule: { item: AccessRuleInput },
  update_access_rule: { item: AccessRuleInput },
  create_catalog_entry: { item: CatalogEntryInput },
  update_catalog_entry: { item: CatalogEntryInput },
  create_issuer: { item: IssuerInput },
  update_issuer: { item: IssuerInput },
  create_principal_token: { item: file.ConfigPrincipalToken },
};

const ROTATION = "an operation: the file lists the successor, and expires_at of the old key";
const STORE_STATE = "run-time state of the Store: what a principal has, requested or filled in";
const DRY = "changes nothing";

/** Endpoints with a body that are no part of the file, with the reason. */
const EXCLUDED: Record<string, string> = {
  sign_in: "run-time state: a browser session",
  rotate_consumer_key: ROTATION,
  rotate_collector_key: ROTATION,
  rotate_service_client: ROTATION,
  import_catalog: "an operation: the file lists the imported entries",
  install_for_principal: STORE_STATE,
  configure_install: STORE_STATE,
  bulk_install: STORE_STATE,
  approve_store_request: STORE_STATE,
  reject_store_request: STORE_STATE,
  decide_approval: "run-time state: the decision on one evaluation",
  set_feedback: "an operation on recorded events",
  create_exception: "an operation on recorded events",
  update_exception: "an operation on recorded events",
  erase_activity: "an operation on recorded events",
  test_registry_connection: DRY,
  explain_request: DRY,
  explain_access: DRY,
  test_policy: DRY,
  create_policy_with_detectors: "creates policies and detectors, which the file has separately",
  replay_policy: DRY,
};

const isEndpoint = (value: object): value is Endpoint =>
  "method" in value && "path" in value && "body" in value;

/** Endpoints of the admin API that take a body, also those inside `resource()` and `keyEndpoints()`. */
async function endpointsWithBody(): Promise<Endpoint[]> {
  const folder = `${import.meta.dir}/../../src/contract`;
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".ts") && !name.includes(".test."),
  );
  const modules = await Promise.all(files.map((name) => import(`${folder}/${name}`)));
  const values = modules.flatMap((module) => Object.values(module));
  const objects = [...values, ...values.flatMap((value) => Object.values(value ?? {}))].filter(
    (value): value is object => typeof value === "object" && value !== null,
  );
  return [...new Set(objects.filter(isEndpoint))].filter(
    ({ plane, body }) => plane === "admin" && !body.safeParse(undefined).success,
  );
}

test("every endpoint that takes a body is covered by the file, or excluded with a reason", async () => {
  const names = (await endpointsWithBody()).map(({ name }) => name).sort();

  expect(names).toEqual([...Object.keys(COVERED), ...Object.keys(EXCLUDED)].sort());
});

test("the file has every member that the API can set", async () => {
  const missing = (await endpointsWithBody()).flatMap(({ name, body }) => {
    const covered = COVERED[name];
    if (!covered) return [];
    const members = membersOf(covered.item);
    return [...membersOf(body)]
      .filter((member) => !covered.omitted?.includes(member))
      .map((member) => covered.renamed?.[member] ?? member)
      .filter((member) => !members.has(member))
      .map((member) => `${name}: ${member}`);
  });

  expect(missing).toEqual([]);
});

test("the file has every setting of every kind of detector", () => {
  const missing = [...detectors.values()].flatMap(({ kind, settings }) => {
    const members = membersOf(file.DETECTOR_SETTINGS.get(kind) ?? settings);
    return [...membersOf(settings)]
      .map((member) => (member === "registry_id" ? "registry" : member))
      .filter((member) => !members.has(member));
  });

  expect(missing).toEqual([]);
});

const sha256Of = (letter: string) => letter.repeat(64);

/** Gives every member of the file a value that differs from its default. */
const FULL = `version: 1
gateways:
  - slug: acme
    name: Acme $\${5}
    required_plugins:
      - name: rate_limiter
        enabled: false
        stage: pre_request
        priority: 3
        settings: { limits: { per_ip: { limit: 5, window: 1m } }, actions: { type: reject, retry_after: "5" } }
    metadata: { team: platform }
    store: { default_level: none, public_catalog: true }
    guard: { collector: Tools, llm: { input: false, output: false }, mcp: { input: false, output: false }, on_ask: wait, wait_s: 5, stream: observe }
    catalog:
      - code: com.example/tickets
        name: Tickets
        vendor: Example
        category: support
        description: Reads tickets.
        icon_url: https://example.com/icon.png
        website_url: https://example.com
        server_version: 2.0.0
        url: https://mcp.example.com/{tenant}/mcp
        auth: { type: key, header: X-Key, scheme: Token, scope: principal }
        fields:
          - { key: tenant, label: Tenant, description: Yours, in: path, scope: principal, choices: [a, b] }
          - { key: X-Extra, in: header, required: false, secret: true }
        status: hidden
        allow_private: true
      - code: com.example/mail
        name: Mail
        url: https://mail.example.com/mcp
        auth:
          type: oauth
          registration: manual
          grant_type: client_credentials
          authorize_url: https://mail.example.com/authorize
          token_url: https://mail.example.com/token
          scopes: [read]
          resource: https://mail.example.com/mcp
    access_rules:
      - { subject_type: group, subject: eng, target_type: category, target: support, level: install }
    issuers:
      - name: Login
        issuer: https://login.example.com
        audience: acme
        jwks_url: https://login.example.com/jwks
        subject_claim: email
        groups_claim: roles
        enabled: false
        allow_private: true
    principal_tokens:
      - { name: Laptop, principal_sub: ana, groups: [eng], expires_at: "2040-01-01T00:00:00Z", sha256: ${sha256Of("a")}, hint: pp_abc }
    registries:
      - name: OpenAI
        provider: openai
        provider_options: { base_url: https://proxy.example.com/v1 }
        auth: { type: api_key, api_key: "\${SECRET}" }
        capabilities: [chat]
        enabled: false
        allow_private: true
      - name: Tickets
        type: mcp
        provider_options: { code: com.example/tickets }
        auth: { type: principal_key, header: X-Key, scheme: Token }
      - name: Shared
        type: mcp
        provider_options: { url: https://shared.example.com/mcp, headers: { X-Team: "\${SECRET}" }, allowed_tools: [a], tool_aliases: { a: b } }
        auth: { type: header, header: X-Key, value: "\${SECRET}" }
      - name: Own account
        type: mcp
        provider_options: { url: https://own.example.com/mcp }
        auth: { type: forwarded, client_id: client, client_secret: "\${SECRET}", scopes: [read] }
      - name: Mail
        type: mcp
        provider_options: { code: com.example/mail }
        auth: { type: client_credentials, token_url: https://mail.example.com/token, client_id: client, client_secret: "\${SECRET}", scopes: [read], resource: https://mail.example.com/mcp }
      - name: Bedrock
        provider: bedrock
        provider_options: { region: eu-central-1 }
        auth: { type: aws, region: eu-west-1, access_key_id: AKIAIOSFODNN7EXAMPLE, secret_access_key: "\${SECRET}", session_token: "\${SECRET}", role_arn: "arn:aws:iam::123456789012:role/gateway", external_id: tenant-7, session_name: acme }
      - name: Azure
        provider: azure
        provider_options: { endpoint: https://acme.openai.azure.com, api: v1 }
        auth: { type: azure, source: workload_identity, tenant_id: tenant, client_id: app, authority_host: https://login.microsoftonline.us, scope: https://cognitiveservices.azure.us/.default }
      - name: Vertex
        provider: vertex
        provider_options: { project: acme-prod, location: europe-west4, version: v1beta1 }
        auth: { type: gcp_service_account, credentials: "\${CREDENTIALS}" }
      - { name: Demo, provider: demo }
    consumers:
      - slug: app
        name: App
        active: false
        registries:
          - { registry: Demo, weight: 5, models: { allowed: ["demo-*"], default: demo-chat, map: { "demo-*": "demo-*" } } }
        balancing: { algorithm: sticky }
        failover: { enabled: false, max_attempts: 2, max_total_ms: 500, resend_billable: true }
        files_scope: own
        cors: { origins: [https://app.example.com] }
        fallbacks: [demo-chat]
        guard: { collector: Tools, llm: { input: false, output: false }, mcp: { input: false, output: false }, on_ask: allow, wait_s: 6, stream: observe }
        keys:
          - { name: First, expires_at: "2040-01-01T00:00:00Z", sha256: ${sha256Of("b")}, hint: ag_abc }
      - { slug: exempt, name: Exempt, guard: { off: true } }
detectors:
  - name: Judge
    kind: gateway
    enabled: false
    settings: { registry: { gateway: acme, name: Demo }, model: demo-chat, instructions: Flag it. }
  - name: Cards
    kind: data_loss_prevention
    settings: { predefined_entities: [{ entity: credit_card }] }
policies:
  - name: Strict
    mode: observe
    gates:
      - name: Mask
        when: { all: [{ field: tool.name, op: in, value: [bash] }] }
        action: transform
        mask: { predefined_entities: [{ entity: credit_card }] }
        mode: enforce
        enabled: false
    input_rules:
      - { detector: Cards, action: transform, origins: [user], when: { field: protocol, op: eq, value: llm }, mode: observe, enabled: false }
    output_rules:
      - { detector: Judge, action: report, origins: [user], when: { field: protocol, op: eq, value: llm }, mode: observe, enabled: false }
collectors:
  - name: Tools
    type: agent
    collector_key: tools
    gateway: acme
    default_policy: Strict
    default_policy_version: 1
    fail_mode: open
    content_storage: full
    retention_days: 7
    observe_until: "2040-01-01T00:00:00Z"
    overrides:
      - { consumer_id: ana, policy: Strict, policy_version: 1 }
    keys:
      - { name: First, expires_at: "2040-01-01T00:00:00Z", sha256: ${sha256Of("c")}, hint: pc_abc }
    service_clients:
      - { name: Sidecar, client_id: 0191d3c2-7a52-7d10-9c1e-0f7f5f6a1b2c, expires_at: "2040-01-01T00:00:00Z", sha256: ${sha256Of("d")}, hint: ps_abc }
tokens:
  - { name: Ops, role: viewer, gateways: [acme], expires_at: "2040-01-01T00:00:00Z", principal_sub: ana, sha256: ${sha256Of("e")}, hint: pa_abc }
`;

/** The key of a Google service account is checked when it is saved. */
const CREDENTIALS = JSON.stringify({
  type: "service_account",
  client_email: "planted@acme-prod.iam.gserviceaccount.com",
  private_key: "-----BEGIN PRIVATE KEY-----",
});

const secretOf = (variable: string): string =>
  variable.endsWith("CREDENTIALS") ? CREDENTIALS : "planted-secret";

/** An export holds hashes instead of secrets, and a transport has only one value, its default. */
const NOT_EXPORTED = /(^|\.)(key|token|client_secret|transport)$/;

describe.each(databaseKinds)("on %s", (database) => {
  test("export, apply on an empty installation and export again give the same text", async () => {
    await using kit = await startKit({ database });
    await using other = await startKit({ database });
    await applyText(kit, FULL, { env: { SECRET: secretOf("SECRET"), CREDENTIALS } });

    const { yaml, variables } = await exportConfig(kit.deps);
    const env = Object.fromEntries(variables.map((name) => [name, secretOf(name)]));
    await applyText(other, yaml, { env });

    expect((await exportConfig(other.deps)).yaml).toBe(yaml);
    expect((await applyText(kit, yaml, { env, prune: true })).steps).toEqual([]);
    expect(yaml).not.toContain("planted");
    const exported = membersIn(parse(yaml));
    const lacking = [...membersOf(file.ConfigFile)].filter(
      (member) => !exported.has(member) && !NOT_EXPORTED.test(member),
    );
    expect(lacking).toEqual([]);
  });
});
