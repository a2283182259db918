/** The consumer_keys table: hashes only. */
import type { ConsumerKey } from "../contract/consumer-keys.ts";
import { table } from "./table.ts";

export interface ConsumerKeyRow extends Omit<ConsumerKey, "state"> {
  hash: string;
}

export const consumerKeyTable = table<ConsumerKeyRow>({
  name: "consumer_keys",
  columns: {
    id: "text",
    consumer_id: "text",
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
});
