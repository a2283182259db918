/** All items of a list, for menus and counts: page after page until the server has no more. */

interface PageOf<Item> {
  items: Item[];
  next_cursor: string | null;
}

/** The most that the server gives at once. */
const LIMIT = 200;

interface PageQuery {
  limit: number;
  cursor: string | undefined;
}

/** The names of all, by their ids, in the order of the names. */
export async function readNamesById(
  load: (query: PageQuery & { sort: "name" }) => Promise<PageOf<{ id: string; name: string }>>,
): Promise<ReadonlyMap<string, string>> {
  const all = await readAllPages((query) => load({ ...query, sort: "name" }));
  return new Map(all.map(({ id, name }) => [id, name]));
}

export async function readAllPages<Item>(
  load: (query: PageQuery) => Promise<PageOf<Item>>,
): Promise<Item[]> {
  const all: Item[] = [];
  let cursor: string | undefined;
  do {
    const { items, next_cursor } = await load({ limit: LIMIT, cursor });
    all.push(...items);
    cursor = next_cursor ?? undefined;
  } while (cursor);
  return all;
}
