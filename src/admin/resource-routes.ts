/** Operations of every stored resource: list, get, create, update, delete. */

import type { z } from "zod";
import { decode } from "../contract/decode.ts";
import { AppError } from "../contract/errors.ts";
import type { ResourceEndpoints } from "../contract/resource.ts";
import type { PageQuery } from "../contract/shapes.ts";
import { type AuditChange, recordChange } from "../db/record-change.ts";
import type { Table } from "../db/table.ts";
import { gatewayTable } from "../db/tables/gateways.ts";
import type { Deps } from "../deps.ts";
import type { Actor, Call, Route } from "../route.ts";
import { checkAllowPrivate, type Reach } from "./check-allow-private.ts";
import { pickInput } from "./pick-input.ts";

/** Columns of every stored resource. */
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
  /** Returns the columns that the path determines. */
  scopeOf: (params: Record<string, string>) => Partial<Row>;
  /** Throws if the parent in the path does not exist. */
  requireParent?: (deps: Deps, params: Record<string, string>) => Promise<void>;
  /** Returns the ids that the caller may see; undefined: all in scope. */
  visibleIds?: (call: Call) => readonly string[] | undefined;
  /** Rejects deleting a row that others refer to. */
  checkRemovable?: (deps: Deps, row: Row, call: Call) => Promise<void>;
  /** Records the rows that the database deletes with it. */
  recordCascade?: (deps: Deps, row: Row, call: Call) => Promise<void>;
  /** Converts a row to the response, with secrets masked. */
  toReply: (deps: Deps, row: Row) => Promise<Reply> | Reply;
  /** Members that an update, unless it sends them, takes from here instead of from `toReply`. */
  defaultsOnUpdate?: (row: Row, sent: Partial<Input>) => Partial<Input>;
  /** Checks what the schema cannot, and returns the columns to write. `before` is undefined on create. */
  toColumns: (
    deps: Deps,
    input: Input,
    row: Partial<Row> & StoredRow,
    before: Row | undefined,
    actor: Actor,
  ) => OwnColumns<Row> | Promise<OwnColumns<Row>>;
  /** Returns members of the input that are not in the response, for the audit record. */
  toRecordedMembers?: (input: Input) => Record<string, unknown>;
  /** Returns the destination of requests, for a resource with `allow_private`. */
  reach?: (row: Row) => Reach;
  /** Rejects a change that only other administrators may make. */
  checkActor?: (deps: Deps, actor: Actor, next: Row, before?: Row) => Promise<void>;
  /** Writes the members that are stored in another table. */
  saveRelated?: (deps: Deps, input: Input, id: string) => Promise<void>;
}

/** `gateway_id` comes from the path or, like any other column, from the input. */
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
  const rowOf = (call: Call): Partial<Row> =>
    // TypeScript knows only the id of a Row; the other columns come from the definition.
    ({ ...scopeOf(call.params), id: call.params[definition.id] ?? "" }) as Partial<Row>;
  const notFound = (call: Call): AppError =>
    new AppError(
      "not_found",
      `Unknown ${resource.noun.replaceAll("_", " ")} ${call.params[definition.id]}.`,
    );
  /** Returns the row as a later read returns it. */
  const save = async (
    deps: Deps,
    { actor }: Call,
    input: z.output<Input>,
    row: Partial<Row> & StoredRow,
    before?: Row,
  ): Promise<z.output<Reply>> => {
    // Columns of the path and of the resource make a complete row.
    const columns = await definition.toColumns(deps, input, row, before, actor);
    const next = { ...row, ...columns } as Row;
    if (definition.reach) {
      checkAllowPrivate(deps, actor, definition.reach(next), before && definition.reach(before));
    }
    await definition.checkActor?.(deps, actor, next, before);
    if (before) await table.update(deps.db, row.id, next);
    else await table.insert(deps.db, next);
    await definition.saveRelated?.(deps, input, row.id);
    // Written in this transaction, so it exists.
    const written = await table.find(deps.db, { id: row.id } as Partial<Row>);
    return await definition.toReply(deps, written as Row);
  };
  const record = (
    deps: Deps,
    call: Call,
    verb: "create" | "update" | "delete",
    id: string,
    versions: Pick<AuditChange, "before" | "after">,
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
        const row = await table.find(deps.db, rowOf(call));
        if (!row) throw notFound(call);
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
        const input = call.body as z.output<Input>;
        const after = await save(deps, call, input, row);
        const recorded = { ...after, ...definition.toRecordedMembers?.(input) };
        await record(deps, call, "create", id, { before: null, after: recorded });
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
        const row = await table.lock(deps.db, rowOf(call));
        if (!row) throw notFound(call);
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
    const row = await table.lock(deps.db, rowOf(call));
    if (!row) throw notFound(call);
    checkVersion(call, row);
    const before = await definition.toReply(deps, row);
    const current = pickInput(resource.input, before);
    const sent = call.body as Partial<z.output<Input>>;
    const merged = { ...current, ...definition.defaultsOnUpdate?.(row, sent), ...sent };
    const input = decode(resource.input, merged);
    const next = { ...row, version: row.version + 1, updated_at: deps.now().toISOString() };
    const after = await save(deps, call, input, next, row);
    const recorded = { ...after, ...definition.toRecordedMembers?.(input) };
    await record(deps, call, "update", row.id, { before, after: recorded });
    return after;
  }
}

/** Rejects a change whose If-Match names another version. */
function checkVersion(call: Call, row: StoredRow): void {
  if (call.if_match === undefined || call.if_match === "*") return;
  const versions = call.if_match.split(",").map((tag) => tag.trim());
  if (versions.includes(`"${row.version}"`)) return;
  throw new AppError(
    "version_mismatch",
    `If-Match names ${call.if_match.slice(0, 80)}, but the current version is "${row.version}". Read it again.`,
  );
}

/** Throws if the gateway in the path does not exist. */
export async function requireGateway(deps: Deps, params: Record<string, string>): Promise<void> {
  const id = params.gateway_id ?? "";
  if (await gatewayTable.find(deps.db, { id })) return;
  throw new AppError("not_found", `Unknown gateway ${id}.`);
}
