/** Hides the ids at the ends of a filtered list, which may be those of other consumers, and lets a client page on. */
import { AppError } from "../../contract/errors.ts";
import type { Deps } from "../../deps.ts";
import { type SealContext, seal, unseal } from "../../lib/crypto/seal.ts";
import { isObject, type JsonObject } from "../../lib/json/json-object.ts";
import type { RoutedRequest } from "../stages.ts";

/**
 * Returns `first_id` and `last_id` of a list whose objects were filtered. If none is left, they are the upstream's ids,
 * sealed: a client needs them for the next page.
 */
export function replaceListEnds(
  { keyring }: Pick<Deps, "keyring">,
  consumer_id: string,
  list: JsonObject,
  data: readonly unknown[],
): JsonObject {
  const ends = { first_id: data[0], last_id: data.at(-1) };
  const toEnd = (name: string, object: unknown): unknown => {
    const id = list[name];
    if (isObject(object)) return object.id;
    return typeof id === "string" && list.has_more === true
      ? seal(keyring(), contextOf(consumer_id), id)
      : null;
  };
  const present = Object.entries(ends).filter(([name]) => name in list);
  return Object.fromEntries(present.map(([name, object]) => [name, toEnd(name, object)]));
}

/** Returns the query string with the ids that `replaceListEnds` sealed for this consumer. */
export function openCursors(
  { keyring }: Pick<Deps, "keyring">,
  { consumer, endpoint, search }: Pick<RoutedRequest, "consumer" | "endpoint" | "search">,
): string {
  if (consumer.files_scope === "shared" || !endpoint.creates) return search;
  return search.replace(CURSOR, (_, separator: string, name: string, value: string) => {
    const id = unseal(keyring(), contextOf(consumer.id), value.replaceAll(/%3a/gi, ":"));
    if (id !== undefined) return `${separator}${name}=${encodeURIComponent(id)}`;
    throw new AppError(
      "invalid_request",
      `${name}: The cursor is not from a list of this consumer. Read the list from its start.`,
    );
  });
}

/** Returns the query string of the page behind a list, in the direction of its request; undefined at the end. */
export function findNextPage(
  list: JsonObject,
  objects: readonly unknown[],
  search: string,
): string | undefined {
  const query = new URLSearchParams(search);
  // Anthropic's `page` excludes other cursors, and its clients do not stop at an empty page.
  if (list.has_more !== true || query.has("page")) return undefined;
  const before = ["before", "before_id"].find((name) => query.has(name));
  const after = list.object === "list" ? "after" : "after_id";
  const end = before ? objects[0] : objects.at(-1);
  const id = (before ? list.first_id : list.last_id) ?? (isObject(end) ? end.id : undefined);
  if (typeof id !== "string") return undefined;
  query.set(before ?? after, id);
  return `?${query}`;
}

const contextOf = (id: string): SealContext => ({ purpose: "list_cursor", id });

/** OpenAI pages with `after`, Anthropic with `after_id` and `before_id`. */
const CURSOR = /([?&])(after|after_id|before|before_id)=(sealed(?::|%3a)[^&]+)/gi;
