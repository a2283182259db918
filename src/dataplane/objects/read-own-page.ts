/** Filters a list of the upstream by owner, and reads on while a page has no object of the consumer. */
import { AppError } from "../../contract/errors.ts";
import type { Deps } from "../../deps.ts";
import { isObject } from "../../lib/json/json-object.ts";
import { getLiveState } from "../live-state.ts";
import type { ForwardedRequest } from "../stages.ts";
import { forwardRequest } from "../upstream/forward-request.ts";
import { findNextPage, openCursors, replaceListEnds } from "./list-cursors.ts";
import { parseJson, readId, readObjectReply } from "./read-object-reply.ts";

/** Each page is a call of the upstream and a read of the database. */
const MAX_PAGES = 20;
const MAX_OBJECTS = 10_000;

/**
 * Returns the first page with an object of the consumer, or the last one: the pagers of SDKs stop at an empty page. An
 * error of the upstream is returned unchanged.
 */
export async function readOwnPage(
  deps: Deps,
  forwarded: ForwardedRequest,
): Promise<ForwardedRequest> {
  let page = { ...forwarded, search: openCursors(deps, forwarded) };
  let seen = 0;
  for (let pages = 1; page.reply.status < 300; pages += 1) {
    const list = parseJson(await readObjectReply(deps, page));
    // A list that cannot be filtered must not be sent.
    if (!isObject(list) || !Array.isArray(list.data)) {
      throw new AppError("upstream_failed", "The upstream's list has no `data` array.");
    }
    const objects: unknown[] = list.data;
    const data = await filterObjects(deps, page, objects);
    seen += objects.length;
    const search = findNextPage(list, objects, page.search);
    const isLast = search === undefined || search === page.search;
    if (data.length > 0 || isLast || pages === MAX_PAGES || seen >= MAX_OBJECTS) {
      const ends = replaceListEnds(deps, page.consumer.id, list, data);
      const bytes = Buffer.from(JSON.stringify({ ...list, ...ends, data }));
      return { ...page, reply: { ...page.reply, body: { kind: "whole", bytes } } };
    }
    page.reply.close();
    page = { ...page, search };
    page = { ...(await forwardRequest(deps, { ...page, candidates: [page.candidate] })), search };
  }
  return page;
}

async function filterObjects(
  deps: Deps,
  { consumer, candidate }: ForwardedRequest,
  objects: readonly unknown[],
): Promise<unknown[]> {
  const ids = objects.flatMap((object) => readId(object) ?? []);
  const { object_owners } = getLiveState(deps);
  const own = await object_owners.findOwn(consumer.id, candidate.registry.id, ids);
  return objects.filter((object) => own.has(readId(object) ?? ""));
}
