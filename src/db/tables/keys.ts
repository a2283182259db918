/** Tables of keys: hashes only. */
import { type Table, table } from "../table.ts";

export interface KeyColumns {
  id: string;
  name: string;
  hash: string;
  hint: string;
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
  created_at: string;
}
/** A key with the column of its owner. */
export type KeyRow<Owner extends string> = KeyColumns & Record<Owner, string>;

const keyTable = <Owner extends string>(name: string, owner: Owner): Table<KeyRow<Owner>> =>
  table<KeyRow<Owner>>({
    name,
    columns: {
      id: "text",
      [owner]: "text",
      name: "text",
      hash: "text",
      hint: "text",
      expires_at: "text",
      revoked_at: "text",
      last_used_at: "text",
      created_at: "text",
    },
    search: ["name", "hint"],
    sort: ["created_at", "name"],
    // TypeScript cannot infer the computed column.
  } as Parameters<typeof table<KeyRow<Owner>>>[0]);

export const consumerKeyTable = keyTable("consumer_keys", "consumer_id");
export const collectorKeyTable = keyTable("collector_keys", "collector_id");
export const serviceClientTable = keyTable("service_clients", "collector_id");
