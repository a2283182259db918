/** The Store in a configuration file: catalog, access rules, issuers, personal tokens and MCP registries. */
import { describe, expect, test } from "bun:test";
import { exportConfig } from "../../src/config-file/export.ts";
import { type Kit, startKit } from "../kit/kit.ts";
import { databaseKinds } from "../kit/services.ts";
import { applyText, eventually } from "./apply-text.ts";

const FILE = `version: 1
gateways:
  - slug: acme
    name: Acme
    store: { default_level: none }
    catalog:
      - code: com.example/tickets
        name: Tickets
        url: https://mcp.example.com/{tenant}/mcp
        auth: { type: key }
        fields:
          - { key: tenant, in: path, scope: principal }
      - code: com.notion/mcp
        name: Notion
        url: https://mcp.notion.com/mcp
        auth: { type: oauth }
        status: hidden
    access_rules:
      - { subject_type: group, subject: eng, target_type: all, level: install }
      - { subject_type: everyone, target_type: category, target: support, level: request }
    issuers:
      - name: Login
        issuer: https://login.example.com
        audience: acme
        jwks_url: https://login.example.com/jwks
    registries:
      - name: Tickets
        type: mcp
        provider_options: { code: com.example/tickets }
        auth: { type: header, value: "\${TICKETS_KEY}" }
`;

const apply = (kit: Kit, text: string, env: Record<string, string>, prune = false) =>
  applyText(kit, text, { env, prune });

const ENV = { TICKETS_KEY: "Bearer planted-shared-key" };

describe.each(databaseKinds)("on %s", (database) => {
  test("a file creates the Store, and applying it again changes nothing", async () => {
    await using kit = await startKit({ database });

    const first = await apply(kit, FILE, ENV);
    const second = await apply(kit, FILE, ENV);

    expect(first.steps.map(({ resource, name }) => `${resource} ${name}`)).toEqual([
      "gateway acme",
      "catalog_entry acme / com.example/tickets",
      "catalog_entry acme / com.notion/mcp",
      "access_rule acme / group:eng on all:*",
      "access_rule acme / everyone:* on category:support",
      "issuer acme / Login",
      "registry acme / Tickets",
    ]);
    expect(second.steps).toEqual([]);
  });

  test("an export rebuilds the Store elsewhere, and contains no secrets", async () => {
    await using kit = await startKit({ database });
    await using other = await startKit({ database });
    await apply(kit, FILE, ENV);

    const { yaml, variables } = await exportConfig(kit.deps);
    const env = Object.fromEntries(variables.map((name) => [name, ENV.TICKETS_KEY]));
    await apply(other, yaml, env);
    const again = await apply(kit, yaml, env);

    expect(yaml).not.toContain("planted");
    expect((await exportConfig(other.deps)).yaml).toBe(yaml);
    expect(again.steps).toEqual([]);
  });

  test("prune keeps an installed instance, and applies the rest of the file", async () => {
    await using kit = await startKit({ database });
    await apply(kit, FILE, ENV);
    const { items } = (await (await kit.get("/v1/gateways")).json()) as { items: { id: string }[] };
    await kit.make(`/v1/gateways/${items[0]?.id}/store/principal/installs`, {
      code: "com.deepwiki/mcp",
      principal_sub: "alice",
      groups: ["eng"],
    });

    const { steps, left_alone } = await apply(kit, FILE.replace("Acme", "Acme 2"), ENV, true);

    expect(steps.map(({ action, name }) => `${action} ${name}`)).toEqual(["update acme"]);
    expect(left_alone).toMatchObject([{ resource: "registry", name: "acme / DeepWiki" }]);
  });

  test("prune deletes unlisted items; lists that are left out do not change", async () => {
    await using kit = await startKit({ database });
    await apply(kit, FILE, ENV);
    const silent = FILE.replace(/ {4}catalog:[\s\S]*?(?= {4}registries:)/, "");
    const less = FILE.replace(/ {6}- \{ subject_type: everyone.*\n/, "").replace(
      "install",
      "request",
    );

    const quiet = await apply(kit, silent, ENV, true);
    const changed = await apply(kit, less, ENV, true);

    expect(quiet.steps).toEqual([]);
    expect(changed.steps.map(({ action, name }) => `${action} ${name}`)).toEqual([
      "update acme / group:eng on all:*",
      "delete acme / everyone:* on category:support",
    ]);
  });

  test("personal tokens of principals are rebuilt by hash, revoked with prune, and neither extended nor revived", async () => {
    await using kit = await startKit({ database });
    const token = "pp_planted-personal-token-0123456789";
    const list = (tokens: string) => FILE.replace("    registries:", `${tokens}    registries:`);
    const listed = list(
      `    principal_tokens:\n      - { name: Laptop, principal_sub: ana, groups: [eng], token: "\${TOKEN}" }\n`,
    );
    const env = { ...ENV, TOKEN: token };
    const servers = () =>
      fetch(`${kit.url}/v0.1/servers`, { headers: { authorization: `Bearer ${token}` } });

    const first = await apply(kit, listed, env);
    const working = await eventually(200, servers);
    const again = await apply(kit, listed, env);
    await kit.db.run("UPDATE principal_tokens SET expires_at = '2040-01-01T00:00:00Z'");
    const extended = await apply(kit, listed, env);
    const pruned = await apply(kit, list("    principal_tokens: []\n"), env, true);
    const revived = await apply(kit, listed, env);

    expect(first.steps.map(({ resource, name }) => `${resource} ${name}`)).toContain(
      "principal_token acme / Laptop (pp_plan…)",
    );
    expect(working).toBe(200);
    expect(again.steps).toEqual([]);
    expect(extended.steps).toEqual([]);
    expect(extended.left_alone.map(({ resource }) => resource)).toContain("principal_token");
    expect(pruned.steps.map(({ action, name }) => `${action} ${name}`)).toEqual([
      "revoke acme / Laptop (pp_plan…)",
    ]);
    expect(revived.steps).toEqual([]);
    expect(revived.left_alone.map(({ reason }) => reason)).toContain(
      "was revoked: remove it from the file",
    );
    expect((await servers()).status).toBe(401);
  });

  test("a token that its principal created by rotation is not pruned", async () => {
    await using kit = await startKit({ database });
    await apply(kit, FILE, ENV);
    const { items } = (await (await kit.get("/v1/gateways")).json()) as { items: { id: string }[] };
    const body = { name: "Laptop", principal_sub: "ana" };
    await kit.make(`/v1/gateways/${items[0]?.id}/store/principal-tokens`, body);
    await kit.db.run("UPDATE principal_tokens SET created_by = principal_sub");

    const text = FILE.replace("    registries:", "    principal_tokens: []\n    registries:");
    const { steps, left_alone } = await apply(kit, text, ENV, true);

    expect(steps).toEqual([]);
    expect(left_alone).toMatchObject([{ resource: "principal_token" }]);
  });
});
