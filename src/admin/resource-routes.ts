/** List, get, create, update and delete of a stored resource: the same five for every one. */

import type { z } from "zod";
import { decode } from "../contract/decode.ts";
import { AppError } from "../contract/errors.ts";
import type { ResourceEndpoints } from "../contract/resource.ts";
import type { PageQuery } from "../contract/shapes.ts";
import { gatewayTable } from "../db/gateways.ts";
import { recordChange } from "../db/record-change.ts";
import type { Table } from "../db/table.ts";
import type { Deps } from "../deps.ts";
import type { Call, Route } from "../route.ts";
import { checkAllowPrivate, type Reach } from "./check-allow-private.ts";
import { pickInput } from "./pick-input.ts";

/** What every stored resource has beside its own members. */
export interface StoredRow {
  id: string;
  version: number;
  created_at: string;
  updated_at: string;
}

export interface ResourceDefinition<Row extends StoredRow, Input, Reply> {
  table: Table<Row>;
  /** Name of the id in the path. */
  id: string;
  /** The columns that the path itself decides. */
  scopeOf: (params: Record<string, string>) => Partial<Row>;
  /** What the path names above this resource must exist. */
  requireParent?: (deps: Deps, params: Record<string, string>) => Promise<void>;
  /** Which ids a caller may see at all; undefined: every one in scope. */
  visibleIds?: (call: Call) => readonly string[] | undefined;
  /** Refuses to delete what others still need. */
  checkRemovable?: (deps: Deps, row: Row, call: Call) => Promise<void>;
  /** Records what the database removes with it. */
  recordCascade?: (deps: Deps, row: Row, call: Call) => Promise<void>;
  /** As the wire shows it: secrets masked. */
  toReply: (deps: Deps, row: Row) => Promise<Reply> | Reply;
  /** Members that an update does not keep as `read` shows them, unless it sends them. */
  defaultsOnUpdate?: (row: Row, sent: Partial<Input>) => Partial<Input>;
  /** The columns to write: what one schema cannot check is checked. `before` is undefined on create. */
  toColumns: (
    deps: Deps,
    input: Input,
    row: Partial<Row> & StoredRow,
    before?: Row,
  ) => OwnColumns<Row> | Promise<OwnColumns<Row>>;
  /** Where it sends requests, for a resource that can allow private addresses. */
  reach?: (row: Row) => Reach;
  /** Writes what of the input stands in another table. */
  saveRelated?: (deps: Deps, input: Input, id: string) => Promise<void>;
}

/** The gateway is given by the path, or by the input as any other column. */
type OwnColumns<Row> = Omit<Row, keyof StoredRow | "gateway_id">;

export function resourceRoutes<
  Row extends StoredRow,
  Input extends z.ZodObject,
  Reply extends z.ZodObject,
>(
  resource: ResourceEndpoints<string, string, Input, Reply>,
  definition: ResourceDefinition<Row, z.output<Input>, z.output<Reply>>,
): Route[] {
  const { table, scopeOf } = definition;
  const place = (call: Call): Partial<Row> =>
    // Row is only known to have an id; the rest of the place comes from the resource itself.
    ({ ...scopeOf(call.params), id: call.params[definition.id] ?? "" }) as Partial<Row>;
  const wanted = (call: Call): AppError =>
    new AppError(
      "not_found",
      `There is no ${resource.noun} with the id ${call.params[definition.id]}.`,
    );
  /** Gives back what a reader gets from now on. */
  const save = async (
    deps: Deps,
    { actor }: Call,
    input: z.output<Input>,
    row: Partial<Row> & StoredRow,
    before?: Row,
  ): Promise<z.output<Reply>> => {
    // What the path decides and the resource's own columns make up a whole row.
    const next = { ...row, ...(await definition.toColumns(deps, input, row, before)) } as Row;
    if (definition.reach) {
      checkAllowPrivate(deps, actor, definition.reach(next), before && definition.reach(before));
    }
    if (before) await table.update(deps.db, row.id, next);
    else await table.insert(deps.db, next);
    await definition.saveRelated?.(deps, input, row.id);
    // It was written in this transaction, so it is there.
    const written = await table.find(deps.db, { id: row.id } as Partial<Row>);
    return await definition.toReply(deps, written as Row);
  };
  const record = (
    deps: Deps,
    call: Call,
    verb: "create" | "update" | "delete",
    id: string,
    versions: { before: z.output<Reply> | null; after: z.output<Reply> | null },
  ) =>
    recordChange(deps, call, {
      resource: resource.noun,
      verb,
      id,
      gateway_id: call.params.gateway_id ?? (resource.noun === "gateway" ? id : null),
      ...versions,
    });

  return [
    {
      endpoint: resource.list,
      async handle(deps, call) {
        await definition.requireParent?.(deps, call.params);
        const query = call.query as PageQuery;
        const rows = await table.page(deps.db, scopeOf(call.params), query, {
          ids: definition.visibleIds?.(call),
        });
        const items = await Promise.all(rows.items.map((row) => definition.toReply(deps, row)));
        return { items, next_cursor: rows.next_cursor };
      },
    },
    {
      endpoint: resource.get,
      async handle(deps, call) {
        const row = await table.find(deps.db, place(call));
        if (!row) throw wanted(call);
        return await definition.toReply(deps, row);
      },
    },
    {
      endpoint: resource.create,
      async handle(deps, call) {
        await definition.requireParent?.(deps, call.params);
        const at = deps.now().toISOString();
        const id = deps.newId();
        const row = { ...scopeOf(call.params), id, version: 1, created_at: at, updated_at: at };
        const after = await save(deps, call, call.body as z.output<Input>, row);
        await record(deps, call, "create", id, { before: null, after });
        return after;
      },
    },
    {
      endpoint: resource.update,
      handle: (deps, call) => update(deps, call),
    },
    {
      endpoint: resource.remove,
      async handle(deps, call) {
        const row = await table.lock(deps.db, place(call));
        if (!row) throw wanted(call);
        checkVersion(call, row);
        await definition.checkRemovable?.(deps, row, call);
        await definition.recordCascade?.(deps, row, call);
        const before = await definition.toReply(deps, row);
        await table.remove(deps.db, { id: row.id } as Partial<Row>);
        await record(deps, call, "delete", row.id, { before, after: null });
      },
    },
  ];

  async function update(deps: Deps, call: Call): Promise<z.output<Reply>> {
    const row = await table.lock(deps.db, place(call));
    if (!row) throw wanted(call);
    checkVersion(call, row);
    const before = await definition.toReply(deps, row);
    const current = pickInput(resource.input, before);
    const sent = call.body as Partial<z.output<Input>>;
    const merged = { ...current, ...definition.defaultsOnUpdate?.(row, sent), ...sent };
    const input = decode(resource.input, merged);
    const next = { ...row, version: row.version + 1, updated_at: deps.now().toISOString() };
    const after = await save(deps, call, input, next, row);
    await record(deps, call, "update", row.id, { before, after });
    return after;
  }
}

/** A caller that names a version changes that version or nothing. */
function checkVersion(call: Call, row: StoredRow): void {
  if (call.if_match === undefined || call.if_match === "*") return;
  const versions = call.if_match.split(",").map((tag) => tag.trim());
  if (versions.includes(`"${row.version}"`)) return;
  throw new AppError(
    "version_mismatch",
    `If-Match names ${call.if_match.slice(0, 80)}, but the current version is "${row.version}": read it again.`,
  );
}

/** The parent of everything under `/v1/gateways/{gateway_id}/`. */
export async function requireGateway(deps: Deps, params: Record<string, string>): Promise<void> {
  const id = params.gateway_id ?? "";
  if (await gatewayTable.find(deps.db, { id })) return;
  throw new AppError("not_found", `There is no gateway with the id ${id}.`);
}
