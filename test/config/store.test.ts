/** The Store in a configuration file: catalog, access rules, issuers and MCP registries. */
import { describe, expect, test } from "bun:test";
import { exportConfig } from "../../src/config-file/export-config.ts";
import { type Kit, startKit } from "../kit/kit.ts";
import { databaseKinds } from "../kit/services.ts";
import { applyText } from "./apply-text.ts";

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
  test("a file makes the Store, and applying it again changes nothing", async () => {
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

  test("an export rebuilds it elsewhere, without its secrets", async () => {
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

  test("an instance that people have installed is not pruned, and the rest of the file is applied", async () => {
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

  test("what the file no longer lists goes with prune; what it does not speak of stays", async () => {
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
});
