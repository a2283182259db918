/** Returns a page of an in-memory list, with a cursor to the next one. */
import { invalidCursor } from "./contract/shapes.ts";

/** `keyOf` returns the identifier of an item. */
export function paginate<Item>(
  items: readonly Item[],
  { limit, cursor }: { limit: number; cursor?: string | undefined },
  keyOf: (item: Item) => string,
): { items: Item[]; next_cursor: string | null } {
  const start =
    cursor === undefined ? 0 : items.findIndex((item) => keyOf(item) === decodeCursor(cursor)) + 1;
  if (cursor !== undefined && start === 0) throw invalidCursor();
  const page = items.slice(start, start + limit);
  const last = start + limit < items.length ? page.at(-1) : undefined;
  const next_cursor = last ? Buffer.from(keyOf(last)).toString("base64url") : null;
  return { items: page, next_cursor };
}

const decodeCursor = (cursor: string): string => Buffer.from(cursor, "base64url").toString("utf8");
