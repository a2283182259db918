/** What must change so that a gateway's Store is as a configuration file says? */
import type { ConfigGateway, ConfigRegistry } from "../contract/config-file.ts";
import { gatewayTable } from "../db/gateways.ts";
import { registryTable } from "../db/registries.ts";
import { instancesInUse } from "../db/store-installs.ts";
import type { Deps } from "../deps.ts";
import type { YamlPath } from "../lib/text/read-yaml.ts";
import { diffOf } from "./diff-of.ts";
import type { Draft } from "./draft-plan.ts";
import * as save from "./save-store-by-name.ts";

export function planStore(
  draft: Draft,
  was: ConfigGateway | undefined,
  will: ConfigGateway,
  at: YamlPath,
): void {
  const gateway = will.slug;
  draft.list({
    resource: "catalog_entry",
    was: was?.catalog ?? [],
    will: will.catalog,
    identity: "code",
    at: [...at, "catalog"],
    name: ({ code }) => `${gateway} / ${code}`,
    diff: diffOf((entry) => entry),
    save: (entry) => save.saveCatalogEntry(gateway, entry),
    remove: ({ code }) => save.removeCatalogEntry(gateway, code),
  });
  draft.list({
    resource: "access_rule",
    was: was?.access_rules ?? [],
    will: will.access_rules,
    identity: "name",
    at: [...at, "access_rules"],
    name: ({ name }) => `${gateway} / ${name}`,
    diff: diffOf(({ name: _, ...own }) => own),
    save: (rule) => save.saveAccessRule(gateway, rule),
    remove: (rule) => save.removeAccessRule(gateway, rule),
  });
  draft.list({
    resource: "issuer",
    was: was?.issuers ?? [],
    will: will.issuers,
    identity: "name",
    at: [...at, "issuers"],
    name: ({ name }) => `${gateway} / ${name}`,
    diff: diffOf((issuer) => issuer),
    save: (issuer) => save.saveIssuer(gateway, issuer),
    remove: ({ name }) => save.removeIssuer(gateway, name),
  });
}

/** The first install of a server makes its instance, which no file lists: pruning leaves those alone. */
export async function installedInstances({
  db,
}: Deps): Promise<(gateway: string, name: string) => string | undefined> {
  const used = new Set(await instancesInUse(db));
  const slugs = new Map((await gatewayTable.all(db)).map(({ id, slug }) => [id, slug]));
  const rows = (await registryTable.all(db, { type: "mcp" })).filter(({ id }) => used.has(id));
  const named = new Set(rows.map(({ gateway_id, name }) => `${slugs.get(gateway_id)} ${name}`));
  return (gateway, name) =>
    named.has(`${gateway} ${name}`)
      ? "not in the file, but principals have installed it"
      : undefined;
}

/** What a file leaves to the catalog was taken from there when the instance was saved. */
export function fromCatalog(was: ConfigRegistry | undefined, will: ConfigRegistry): ConfigRegistry {
  if (will.type !== "mcp" || !was) return will;
  const { url, fields } = was.provider_options;
  return { ...will, provider_options: { url, fields, ...will.provider_options } };
}
