/** All items of a list, for menus and counts: page after page until the server has no more. */

interface PageOf<Item> {
  items: Item[];
  next_cursor: string | null;
}

/** The most that the server gives at once. */
const LIMIT = 200;

export async function everyPage<Item>(
  load: (query: { limit: number; cursor: string | undefined }) => Promise<PageOf<Item>>,
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
