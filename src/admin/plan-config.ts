/** What must change so that the installation is as a configuration file says? */
import type { ConfigKey, ConfigRegistry, ConfigToken } from "../contract/config-file.ts";
import { pathText } from "../contract/decode.ts";
import { REGISTRY_SECRETS } from "../contract/registries.ts";
import { adminTokenTable } from "../db/admin-tokens.ts";
import { consumerKeyTable } from "../db/keys.ts";
import type { Deps } from "../deps.ts";
import { diffMembers, diffOf, type MemberChange } from "../lib/diff-members.ts";
import type { Path } from "../lib/read-yaml.ts";
import { isMasked, mapSecrets, mask } from "../lib/secret-paths.ts";
import { currentConfig } from "./current-config.ts";
import { draftPlan, type Plan } from "./draft-plan.ts";
import { planStore } from "./plan-store.ts";
import type { ConfigSource } from "./read-config-file.ts";
import * as save from "./save-by-name.ts";

/** Reads only. Without `prune` nothing is deleted or revoked. */
export async function planConfig(
  deps: Deps,
  source: ConfigSource,
  options: { prune: boolean },
): Promise<Plan> {
  const current = await currentConfig(deps);
  const wanted = source.config;
  const revoked = await revokedHashes(deps);
  const refused = ({ sha256 }: { sha256: string }) =>
    // A leaked key that was revoked must not come back with the next apply of an old file.
    revoked.has(sha256) ? "was revoked and stays so: take it out of the file" : undefined;
  const problems: Problem[] = [];
  const draft = draftPlan(options);

  draft.list(
    {
      resource: "gateway",
      was: current.gateways,
      will: wanted.gateways,
      identity: "slug",
      at: ["gateways"],
      name: ({ slug }) => slug,
      diff: diffOf(save.ownMembers),
      save: save.saveGateway,
      remove: ({ slug }) => save.removeGateway(slug),
    },
    (was, will, at) => {
      const { slug: gateway, registries, consumers } = will;
      // First: an instance may be of a server that the file adds.
      planStore(draft, was, will, at);
      draft.list({
        resource: "registry",
        was: was?.registries ?? [],
        will: registries,
        identity: "name",
        at: [...at, "registries"],
        name: ({ name }) => `${gateway} / ${name}`,
        diff: (before, after, place) => diffRegistry(source, problems, { before, after, place }),
        save: (registry) => save.saveRegistry(gateway, registry),
        remove: ({ name }) => save.removeRegistry(gateway, name),
      });
      draft.list(
        {
          resource: "consumer",
          was: was?.consumers ?? [],
          will: consumers,
          identity: "slug",
          at: [...at, "consumers"],
          name: ({ slug }) => `${gateway} / ${slug}`,
          diff: diffOf(({ keys: _, ...own }) => own),
          save: (consumer) => save.saveConsumer(gateway, consumer),
          remove: ({ slug }) => save.removeConsumer(slug),
        },
        (before, { slug: consumer, keys }, place) =>
          draft.list({
            resource: "consumer_key",
            was: before?.keys ?? [],
            will: keys,
            identity: "sha256",
            at: [...place, "keys"],
            name: (key) => `${gateway} / ${consumer} / ${named(key)}`,
            diff: diffOf(({ sha256: _, hint: __, ...own }) => own),
            save: (key) => save.saveKey(consumer, key),
            remove: ({ sha256 }) => save.revokeKey(consumer, sha256),
            refused,
          }),
      );
    },
  );
  draft.list({
    resource: "token",
    was: current.tokens ?? [],
    will: wanted.tokens,
    identity: "sha256",
    at: ["tokens"],
    name: named,
    diff: diffOf(({ sha256: _, hint: __, ...own }) => own),
    save: save.saveToken,
    remove: ({ sha256 }) => save.revokeTokenOf(sha256),
    refused,
  });
  if (wanted.tokens && locksOut(current.tokens ?? [], wanted.tokens, options.prune)) {
    const message = "tokens: no owner of all gateways would be left that never expires";
    problems.push({ path: ["tokens"], message });
  }
  if (problems.length) throw source.refusal(problems);
  return draft.plan();
}

interface Problem {
  path: Path;
  message: string;
}

async function revokedHashes({ db }: Deps): Promise<Set<string>> {
  const rows = [...(await consumerKeyTable.all(db)), ...(await adminTokenTable.all(db))];
  return new Set(rows.filter(({ revoked_at }) => revoked_at).map(({ hash }) => hash));
}

const named = ({ name, hint }: ConfigKey | ConfigToken): string => `${name} (${hint})`;

/** Compared in clear, shown masked. A secret to be kept counts as the one that is stored. */
function diffRegistry(
  source: ConfigSource,
  problems: Problem[],
  pair: { before: ConfigRegistry | undefined; after: ConfigRegistry; place: Path },
): MemberChange[] {
  const { before, place } = pair;
  const after = withCatalog(before, pair.after);
  const stored = secretsOf(before ?? {});
  const given = mapSecrets(after, REGISTRY_SECRETS, (secret, member) => {
    const path = [...place, ...member.split(".")];
    const kept = source.kept.find((one) => Bun.deepEquals(one.path, path));
    const reason = isMasked(secret)
      ? "is a masked value: write the secret, or a variable that holds it"
      : kept && !stored.has(member)
        ? `the variable ${kept.name} is not set, and no stored secret can be kept`
        : secret === "" && !kept
          ? "must not be empty"
          : undefined;
    if (reason) problems.push({ path, message: `${pathText(path)}: ${reason}` });
    return kept ? (stored.get(member) ?? "") : secret;
  });
  const secrets = new Set([...stored.keys(), ...secretsOf(after).keys()]);
  const shown = (name: string, value: unknown) =>
    typeof value === "string" && secrets.has(name) ? mask(value) : value;
  return diffMembers(before ?? {}, given).map(({ name, ...change }) => ({
    name,
    before: shown(name, change.before),
    after: shown(name, change.after),
  }));
}

/** What a file leaves to the catalog was taken from there when the instance was saved. */
function withCatalog(before: ConfigRegistry | undefined, after: ConfigRegistry): ConfigRegistry {
  if (after.type !== "mcp" || !before) return after;
  const { url, fields } = before.provider_options;
  return { ...after, provider_options: { url, fields, ...after.provider_options } };
}

function secretsOf(registry: object): Map<string, string> {
  const found = new Map<string, string>();
  mapSecrets(registry, REGISTRY_SECRETS, (secret, member) => {
    found.set(member, secret);
    return secret;
  });
  return found;
}

/** Nobody locks themselves out with a file: one owner of everything stays. */
function locksOut(current: ConfigToken[], wanted: ConfigToken[], prune: boolean): boolean {
  const isOwner = ({ role, gateways, expires_at }: ConfigToken) =>
    role === "owner" && gateways === null && expires_at === null;
  const listed = new Set(wanted.map(({ sha256 }) => sha256));
  const staying = prune ? [] : current.filter(({ sha256 }) => !listed.has(sha256));
  return current.some(isOwner) && ![...staying, ...wanted].some(isOwner);
}
