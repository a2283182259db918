/** Reads all items of a list, page by page, for menus and counts. */

interface ListPage<Item> {
  items: Item[];
  next_cursor: string | null;
}

/** Largest page that the server returns. */
const MAX_PAGE_SIZE = 200;

interface PageQuery {
  limit: number;
  cursor: string | undefined;
}

/** Returns the names of all items by id, sorted by name. */
export async function readNamesById(
  load: (query: PageQuery & { sort: "name" }) => Promise<ListPage<{ id: string; name: string }>>,
): Promise<ReadonlyMap<string, string>> {
  const all = await readAllPages((query) => load({ ...query, sort: "name" }));
  return new Map(all.map(({ id, name }) => [id, name]));
}

export async function readAllPages<Item>(
  load: (query: PageQuery) => Promise<ListPage<Item>>,
): Promise<Item[]> {
  const all: Item[] = [];
  let cursor: string | undefined;
  do {
    const { items, next_cursor } = await load({ limit: MAX_PAGE_SIZE, cursor });
    all.push(...items);
    cursor = next_cursor ?? undefined;
  } while (cursor);
  return all;
}
