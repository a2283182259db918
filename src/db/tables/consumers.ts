/** The consumers table, with the attached registries in order. */
import type { AttachedRegistry, Consumer, ModelPolicy } from "../../contract/gateway/consumers.ts";
import type { Db } from "../db.ts";
import { table } from "../table.ts";

export type ConsumerRow = Omit<Consumer, "registries">;

export const consumerTable = table<ConsumerRow>({
  name: "consumers",
  columns: {
    id: "text",
    gateway_id: "text",
    name: "text",
    slug: "text",
    active: "bool",
    balancing: "json",
    failover: "json",
    files_scope: "text",
    cors: "json",
    fallbacks: "json",
    guard: "json",
    version: "number",
    created_at: "text",
    updated_at: "text",
  },
  search: ["name", "slug"],
  sort: ["created_at", "name", "slug", "updated_at"],
});

interface Attachment {
  id: string;
  consumer_id: string;
  registry_id: string;
  position: number;
  weight: number;
  models: ModelPolicy;
}

const attachmentTable = table<Attachment>({
  name: "consumer_registries",
  columns: {
    id: "text",
    consumer_id: "text",
    registry_id: "text",
    position: "number",
    weight: "number",
    models: "json",
  },
  search: [],
  sort: ["position"],
});

/** Returns attached registries by consumer id, in order; without an id, of every consumer. */
export async function attachedRegistries(
  db: Db,
  consumerId?: string,
): Promise<Map<string, AttachedRegistry[]>> {
  const rows = await attachmentTable.all(db, consumerId ? { consumer_id: consumerId } : {});
  rows.sort((one, other) => one.position - other.position);
  const byConsumer = new Map<string, AttachedRegistry[]>();
  for (const { consumer_id, registry_id, weight, models } of rows) {
    const attached = byConsumer.get(consumer_id) ?? [];
    attached.push({ id: registry_id, weight, models });
    byConsumer.set(consumer_id, attached);
  }
  return byConsumer;
}

export async function replaceAttachedRegistries(
  db: Db,
  newId: () => string,
  consumerId: string,
  attached: readonly AttachedRegistry[],
): Promise<void> {
  await attachmentTable.remove(db, { consumer_id: consumerId });
  for (const [position, { id, weight, models }] of attached.entries()) {
    await attachmentTable.insert(db, {
      id: newId(),
      consumer_id: consumerId,
      registry_id: id,
      position,
      weight,
      models,
    });
  }
}
