/** Lists what a person has to decide: approvals of evaluations and Store requests. */
import { type InboxItem, listInbox } from "../contract/inbox.ts";
import { findCatalogEntry } from "../db/tables/catalog-entries.ts";
import { findInbox } from "../db/tables/find-inbox.ts";
import { isSubject, type Route, route } from "../route.ts";

export const inboxRoutes: Route[] = [
  route(listInbox, async (deps, { query, actor }) => {
    const gateway_ids = actor.gateway_ids ?? undefined;
    const { items, next_cursor } = await findInbox(deps.db, { ...query, gateway_ids }, deps.now());
    const names = new Map<string, Promise<string | null>>();
    /** Reads each server once. */
    const findName = ({
      kind,
      gateway_id,
      subject,
    }: Pick<InboxItem, "kind" | "gateway_id" | "subject">) => {
      if (kind !== "store_request" || gateway_id === null) return null;
      const key = `${gateway_id} ${subject}`;
      const name = names.get(key) ?? readName(gateway_id, subject);
      names.set(key, name);
      return name;
    };
    const readName = async (gateway_id: string, code: string) =>
      (await findCatalogEntry(deps.db, gateway_id, code))?.name ?? null;
    const toItem = async ({ sender, ...row }: (typeof items)[number]) => ({
      ...row,
      server_name: await findName(row),
      own: isSubject(actor, row.requester) || isSubject(actor, sender),
    });
    return { items: await Promise.all(items.map(toItem)), next_cursor };
  }),
];
