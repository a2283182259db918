/** Compares an item that contains secrets: in clear, but the result shows them masked. */
import { formatPath } from "../contract/decode.ts";
import { diffMembers, type MemberChange } from "../lib/json/diff-values.ts";
import { collectSecrets, isMasked, mapSecrets, maskSecret } from "../lib/json/secret-paths.ts";
import type { DiffContext } from "./config-resource.ts";

/** Reports secrets that cannot be saved. A kept secret compares equal to the stored one. */
export function diffWithSecrets<Item extends object>(
  before: Item | undefined,
  after: Item,
  secretPaths: readonly string[],
  { path: itemPath, keptSecrets, report }: DiffContext,
): MemberChange[] {
  const stored = collectSecrets(before ?? {}, secretPaths);
  const next = mapSecrets(after, secretPaths, (secret, member) => {
    const path = [...itemPath, ...member.split(".")];
    const kept = keptSecrets.find((one) => one.path.join(".") === path.join("."));
    const reason = isMasked(secret)
      ? "is a masked value: write the secret, or a variable that holds it"
      : kept && !stored.has(member)
        ? `the variable ${kept.name} is not set, and no stored secret can be kept`
        : secret === "" && !kept
          ? "must not be empty"
          : undefined;
    if (reason) report({ path, message: `${formatPath(path)}: ${reason}` });
    return kept ? (stored.get(member) ?? "") : secret;
  });
  const names = new Set([...stored.keys(), ...collectSecrets(after, secretPaths).keys()]);
  const show = (name: string, value: unknown) =>
    typeof value === "string" && names.has(name) ? maskSecret(value) : value;
  return diffMembers(before ?? {}, next).map((change) => ({
    name: change.name,
    before: show(change.name, change.before),
    after: show(change.name, change.after),
  }));
}
