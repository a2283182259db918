/** A page of a list that is in memory, in its order; what the tables do with rows. */
import { invalidCursor } from "../contract/shapes.ts";

export function paginate<Item extends { code: string }>(
  items: readonly Item[],
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): { items: Item[]; next_cursor: string | null } {
  const start =
    cursor === undefined ? 0 : items.findIndex(({ code }) => code === decodeCursor(cursor)) + 1;
  if (cursor !== undefined && start === 0) throw invalidCursor();
  const shown = items.slice(start, start + limit);
  const last = start + limit < items.length ? shown.at(-1) : undefined;
  const next_cursor = last ? Buffer.from(last.code).toString("base64url") : null;
  return { items: shown, next_cursor };
}

const decodeCursor = (cursor: string): string => Buffer.from(cursor, "base64url").toString("utf8");
