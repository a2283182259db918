/** Which members of an item does a configuration file change? */
import { formatPath } from "../contract/decode.ts";
import { diffMembers, type MemberChange } from "../lib/json/diff-values.ts";
import { collectSecrets, isMasked, mapSecrets, maskSecret } from "../lib/json/secret-paths.ts";
import type { YamlPath } from "../lib/text/read-yaml.ts";
import type { ConfigSource, Problem } from "./read-config-file.ts";

/** `own` leaves out what has steps of its own. What the file may leave unsaid stays as it is. */
export const diffOf =
  <Item extends object>(own: (item: Item) => object) =>
  (was: Item | undefined, will: Item): MemberChange[] =>
    diffMembers(was ? own(was) : {}, own({ ...was, ...will }));

/** Compared in clear, shown masked. A secret to be kept counts as the one that is stored. */
export const diffSecretsOf =
  (source: ConfigSource, problems: Problem[]) =>
  <Item extends object>(secretsOf: (item: Item) => readonly string[]) =>
  (was: Item | undefined, will: Item, at: YamlPath): MemberChange[] => {
    const paths = secretsOf(will);
    const stored = collectSecrets(was ?? {}, paths);
    const given = mapSecrets(will, paths, (secret, member) => {
      const path = [...at, ...member.split(".")];
      const kept = source.kept.find((one) => one.path.join(".") === path.join("."));
      const reason = isMasked(secret)
        ? "is a masked value: write the secret, or a variable that holds it"
        : kept && !stored.has(member)
          ? `the variable ${kept.name} is not set, and no stored secret can be kept`
          : secret === "" && !kept
            ? "must not be empty"
            : undefined;
      if (reason) problems.push({ path, message: `${formatPath(path)}: ${reason}` });
      return kept ? (stored.get(member) ?? "") : secret;
    });
    const secrets = new Set([...stored.keys(), ...collectSecrets(will, paths).keys()]);
    const shown = (name: string, value: unknown) =>
      typeof value === "string" && secrets.has(name) ? maskSecret(value) : value;
    return diffMembers(was ?? {}, given).map(({ name, ...change }) => ({
      name,
      before: shown(name, change.before),
      after: shown(name, change.after),
    }));
  };
