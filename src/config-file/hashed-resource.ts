/** Defines a resource of keys or tokens: identified by their hash, revoked, and never created again. */
import type { z } from "zod";
import { newKeyColumns, toKeyReply } from "../admin/key-state.ts";
import { pickInput } from "../admin/pick-input.ts";
import type { Endpoint } from "../contract/endpoint.ts";
import { AppError } from "../contract/errors.ts";
import { type KeyEndpoints, KeyInput } from "../contract/keys.ts";
import { recordChange } from "../db/record-change.ts";
import type { Table } from "../db/table.ts";
import { collectorTable } from "../db/tables/collectors.ts";
import type { KeyColumns } from "../db/tables/keys.ts";
import type { Deps } from "../deps.ts";
import { toExpiryMs } from "../snapshot/expiry-ms.ts";
import {
  type ConfigResource,
  diffItems,
  type Params,
  removeItem,
  type StepContext,
} from "./config-resource.ts";

interface HashedItem {
  name: string;
  sha256: string;
  hint: string;
  expires_at: string | null;
}

interface HashedResource<Row, Input extends z.ZodObject>
  extends Pick<ConfigResource, "noun" | "list" | "id" | "schema"> {
  /** Members that have a column of the same name. */
  input: Input;
  table: Table<Row & KeyColumns>;
  /** Column with the id of the owner. */
  owner?: "gateway_id" | "consumer_id" | "collector_id";
  revoke: Endpoint;
  /** Further columns of a new row. */
  newColumns?: (context: StepContext) => object;
  keepReason?: (row: Row) => string | undefined;
}

export function hashedResource<Row extends object, Input extends z.ZodObject>(
  spec: HashedResource<Row, Input>,
) {
  const { noun, list, id: idName, schema, input, owner, revoke, newColumns, keepReason } = spec;
  // All tables of keys have these columns, and rows of new keys get theirs from `newColumns`.
  const table = spec.table as unknown as Table<KeyColumns>;
  return {
    noun,
    list,
    id: idName,
    schema,
    isRevocable: true,
    current: async ({ db }: Deps) =>
      (await spec.table.all(db)).map((row) => ({
        id: row.id,
        parent_id: owner ? String(row[owner as keyof typeof row]) : "",
        item: {
          ...pickInput(input, row),
          name: row.name,
          sha256: row.hash,
          hint: row.hint,
          expires_at: row.expires_at,
        },
        isRevoked: row.revoked_at !== null,
        keepReason: keepReason?.(row),
      })),
    identity: ({ sha256 }: HashedItem) => sha256,
    label: ({ name, hint }: HashedItem) => `${name} (${hint})`,
    diff: (before: HashedItem | undefined, after: HashedItem) =>
      diffItems(before && withoutHash(before), withoutHash(keepExpiry(before, after))),
    unchangedReason: (before: HashedItem, after: HashedItem) =>
      isExtended(before, after)
        ? `a file cannot extend expires_at (${before.expires_at})`
        : undefined,
    /** Stores expired keys as well. */
    async save(
      context: StepContext,
      parent: Params,
      item: z.output<Input> & HashedItem & { newId?: string | undefined },
      id: string | undefined,
    ): Promise<string> {
      const { deps, actor } = context;
      const before = id === undefined ? undefined : await table.lock(deps.db, { id });
      if (!before && (await table.find(deps.db, { hash: item.sha256 }))) {
        throw new AppError(
          "conflict",
          `sha256: belongs to another ${owner?.replace("_id", "") ?? "token"}`,
        );
      }
      const created = {
        ...newKeyColumns(deps, item.sha256, item.hint),
        ...(item.newId && { id: item.newId }),
        ...(owner && { [owner]: parent[owner] }),
        ...newColumns?.(context),
      };
      const { name, expires_at } = keepExpiry(before, item);
      const row: KeyColumns = {
        ...(before ?? created),
        ...pickInput(input, item),
        name,
        expires_at,
      };
      if (before) await table.update(deps.db, row.id, row);
      else await table.insert(deps.db, row);
      const author = { actor, request_id: deps.newId(), trace_id: deps.newId() };
      await recordChange(deps, author, {
        resource: noun,
        verb: before ? "update" : "create",
        id: row.id,
        gateway_id: await findGateway(context, parent),
        before: before ? toKeyReply(deps, before) : null,
        after: toKeyReply(deps, row),
      });
      return row.id;
    },
    remove: (context: StepContext, params: Params) => removeItem(context, revoke, params),
  };
}

interface Expiring {
  expires_at: string | null;
}

const isExtended = (before: Expiring | undefined, after: Expiring): before is Expiring =>
  before !== undefined && toExpiryMs(after.expires_at) > toExpiryMs(before.expires_at);

/** Returns the item of the file with the stored expiry if that is earlier: an old file must not extend a rotated key. */
export const keepExpiry = <Item extends Expiring>(
  before: Expiring | undefined,
  after: Item,
): Item => (isExtended(before, after) ? { ...after, expires_at: before.expires_at } : after);

/** Keys of a consumer or collector, and service clients. */
export const keyResource = (
  { noun, owner, revoke }: KeyEndpoints & { owner: "consumer_id" | "collector_id" },
  spec: Pick<HashedResource<KeyColumns, typeof KeyInput>, "list" | "schema" | "table">,
) => hashedResource({ ...spec, noun, owner, revoke, id: "key_id", input: KeyInput });

const withoutHash = ({ sha256: _, hint: __, ...item }: HashedItem) => item;

async function findGateway(
  { deps }: StepContext,
  { gateway_id, collector_id }: Params,
): Promise<string | null> {
  if (gateway_id || !collector_id) return gateway_id ?? null;
  return (await collectorTable.find(deps.db, { id: collector_id }))?.gateway_id ?? null;
}
