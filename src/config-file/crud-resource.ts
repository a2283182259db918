/** Defines a resource that has a table, and the five endpoints of `resource()`. */
import type { z } from "zod";
import { perform } from "../admin/perform.ts";
import { pickInput } from "../admin/pick-input.ts";
import type { ResourceEndpoints } from "../contract/resource.ts";
import type { Table } from "../db/table.ts";
import type { Deps } from "../deps.ts";
import { type ConfigResource, diffItems, type Params, removeItem } from "./config-resource.ts";

type Required = "list" | "schema" | "identity";

type CrudResource<Row extends { id: string }, Item extends object> = Partial<
  Omit<ConfigResource<Item>, Required>
> &
  Pick<ConfigResource<Item>, Required> & {
    endpoints: ResourceEndpoints<string, string, z.ZodObject, z.ZodObject>;
    table: Table<Row>;
    /** Column with the id of the parent. */
    parent?: keyof Row;
    /** Returns the conversion from rows to items of the file. */
    reader?: (deps: Deps) => Promise<(row: Row) => Item>;
    /** Converts an item of the file to a request body. */
    toBody?: (deps: Deps, item: Item, parent: Params) => Promise<object> | object;
  };

export function crudResource<Row extends { id: string }, Item extends object>(
  spec: CrudResource<Row, Item>,
): ConfigResource<Item> {
  const { endpoints, table, parent: column, reader, toBody, ...resource } = spec;
  const id = `${endpoints.noun}_id`;
  // Without a reader, items have the members that the API can set.
  const pickItem = (row: Row) => pickInput(endpoints.input, row) as Item;
  return {
    noun: endpoints.noun,
    id,
    async current(deps) {
      const toItem = reader ? await reader(deps) : pickItem;
      return (await table.all(deps.db)).map((row) => ({
        id: row.id,
        parent_id: column ? String(row[column]) : "",
        item: toItem(row),
      }));
    },
    diff: diffItems,
    async save({ deps, actor }, params, item, stored) {
      const body = toBody ? await toBody(deps, item, params) : item;
      if (stored !== undefined) {
        const own = { ...params, [id]: stored };
        await perform(deps, actor, endpoints.update, { params: own, body });
        return stored;
      }
      return (await perform<{ id: string }>(deps, actor, endpoints.create, { params, body })).id;
    },
    remove: (context, params) => removeItem(context, endpoints.remove, params),
    ...resource,
  };
}
