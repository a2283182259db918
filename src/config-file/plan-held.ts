/** Lists of keys, service clients and tokens on their way into a plan: told apart by hash, never brought back. */
import type { ConfigKey } from "../contract/config-held.ts";
import { adminTokenTable } from "../db/admin-tokens.ts";
import { collectorKeyTable, consumerKeyTable, serviceClientTable } from "../db/keys.ts";
import type { Deps } from "../deps.ts";
import { diffOf } from "./diff-of.ts";
import type { Listed } from "./draft-plan.ts";
import { type KeyPlace, revokeKey, saveKey } from "./save-held.ts";

type Held<Item extends ConfigKey> = Omit<Listed<Item>, "identity" | "name" | "diff" | "refused"> & {
  /** Names from the outside in. */
  within: readonly string[];
};

export interface HeldLists {
  held: <Item extends ConfigKey>(list: Held<Item>) => Listed<Item>;
  /** The same for keys of a holder. */
  keys: <Item extends ConfigKey>(
    list: Omit<Held<Item>, "save" | "remove">,
    place: KeyPlace,
  ) => Listed<Item>;
}

export async function heldLists({ db }: Deps): Promise<HeldLists> {
  const tables = [consumerKeyTable, collectorKeyTable, serviceClientTable, adminTokenTable];
  const rows = (await Promise.all(tables.map((table) => table.all(db)))).flat();
  const revoked = new Set(rows.filter(({ revoked_at }) => revoked_at).map(({ hash }) => hash));

  const held: HeldLists["held"] = ({ within, ...list }) => ({
    ...list,
    identity: "sha256",
    name: ({ name, hint }) => [...within, `${name} (${hint})`].join(" / "),
    diff: diffOf(({ sha256: _, hint: __, ...own }) => own),
    // A leaked key that was revoked must not come back with the next apply of an old file.
    refused: ({ sha256 }) =>
      revoked.has(sha256) ? "was revoked and stays so: take it out of the file" : undefined,
  });
  return {
    held,
    keys: (list, place) =>
      held({
        ...list,
        save: (key) => saveKey(place, key),
        remove: ({ sha256 }) => revokeKey(place, sha256),
      }),
  };
}
