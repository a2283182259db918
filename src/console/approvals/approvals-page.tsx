/** Console → Approvals: one inbox for evaluations and Store requests, which a person decides. */
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from "react";
import type { InboxItem } from "../../contract/inbox.ts";
import { now } from "../../lib/time/clock.ts";
import { inbox } from "../endpoints.ts";
import { useLive } from "../live/live-stream.ts";
import { changeQuery, useLocation } from "../router.tsx";
import { useSession } from "../session.ts";
import { SelectField } from "../ui/fields/field.tsx";
import { Pager, SearchBox } from "../ui/list.tsx";
import { Page, Ready, RefreshButton } from "../ui/page.tsx";
import { useLoad } from "../use-load.ts";
import { BulkDecision } from "./bulk-decision.tsx";
import { EvaluationDetails } from "./evaluation-details.tsx";
import { InboxList } from "./inbox-list.tsx";
import { StoreRequestDetails } from "./store-request-details.tsx";
import { useShortcuts } from "./use-shortcuts.ts";

const KINDS = [
  ["", "All kinds"],
  ["evaluation", "Evaluations"],
  ["store_request", "Store requests"],
] as const;

/** The first is the default. */
const STATES = [
  ["", "Pending"],
  ["approved", "Approved"],
  ["rejected", "Rejected"],
  ["expired", "Expired"],
  ["cancelled", "Cancelled"],
  ["superseded", "Superseded"],
  ["all", "All"],
] as const;

const HOUR_MS = 3_600_000;
const AGES = [
  ["", "Any age"],
  ["1", "Less than 1 hour"],
  ["24", "Less than 1 day"],
  ["-1", "More than 1 hour"],
  ["-24", "More than 1 day"],
  ["-168", "More than 7 days"],
] as const;

export function ApprovalsPage() {
  const { search } = useLocation();
  const { gateways } = useSession();
  const filters = new URLSearchParams(search);
  filters.delete("open");
  const loaded = useLoad(filters.toString(), (read) =>
    read(inbox.list, { params: {}, query: toQuery(search) }),
  );
  useLive(["approvals", "store_requests"], loaded.reload);
  const filter = (label: string, name: string, options: readonly (readonly [string, string])[]) => (
    <SelectField
      label={label}
      value={search.get(name) ?? ""}
      options={options}
      onChange={(value) => changeQuery({ [name]: value, cursor: undefined, open: undefined })}
    />
  );
  const names = gateways.map(({ id, name }) => [id, name] as const);
  return (
    <Page
      title="Approvals"
      about="Evaluations and Store requests that a person must decide."
      actions={<RefreshButton />}
    >
      <div className="toolbar inbox-filters">
        <SearchBox label="Search tool, person or server" />
        {filter("Kind", "kind", KINDS)}
        {filter("Status", "status", STATES)}
        {names.length > 0 && filter("Gateway", "gateway_id", [["", "All gateways"], ...names])}
        {filter("Age", "age", AGES)}
      </div>
      <Ready of={loaded} what="The approvals">
        {({ items, next_cursor }) => (
          <>
            <Inbox
              items={items}
              isFiltered={filters.size > 0}
              isCurrent={loaded.state === "ready" && loaded.of === filters.toString()}
            />
            <Pager first={!search.has("cursor")} next={next_cursor} />
          </>
        )}
      </Ready>
    </Page>
  );
}

/** The server rejects unknown values. */
function toQuery(search: URLSearchParams) {
  const read = (name: string) => search.get(name) || undefined;
  const status = read("status") ?? "pending";
  const hours = Number(read("age") ?? 0);
  const edge = new Date(now().getTime() - Math.abs(hours) * HOUR_MS).toISOString();
  return {
    q: read("q"),
    cursor: read("cursor"),
    kind: read("kind") as InboxItem["kind"] | undefined,
    gateway_id: read("gateway_id"),
    ...(status !== "all" && { state: status as InboxItem["state"] }),
    ...(hours > 0 && { from: edge }),
    ...(hours < 0 && { to: edge }),
  };
}

const select = (id: string | undefined) => changeQuery({ open: id }, "replace");

interface InboxProps {
  items: readonly InboxItem[];
  isFiltered: boolean;
  /** False while the items of other filters are shown. */
  isCurrent: boolean;
}

function Inbox({ items, isFiltered, isCurrent }: InboxProps) {
  const { search } = useLocation();
  const { may } = useSession();
  const open = search.get("open") ?? undefined;
  const [checked, setChecked] = useState<ReadonlySet<string>>(new Set());
  // An item that was decided elsewhere stays open, although the list no longer has it.
  const seen = useRef(new Map<string, InboxItem>());
  useEffect(() => {
    for (const item of items) seen.current.set(item.id, item);
  }, [items]);
  // Until the list is loaded again, it contains what was just decided.
  const [decided, setDecided] = useState<ReadonlySet<string>>(new Set());
  const first = items.find(({ id, state }) => state !== "pending" || !decided.has(id))?.id;
  const selectFirst = useEffectEvent(() => select(first));
  useEffect(() => {
    if (!open && first && isCurrent) selectFirst();
  }, [open, first, isCurrent]);

  const at = items.findIndex(({ id }) => id === open);
  const step = (by: 1 | -1) => {
    const next = items[at + by];
    if (next) select(next.id);
  };
  const selectNext = (id: string) => {
    setDecided((last) => new Set([...last, id]));
    select((items[at + 1] ?? items[at - 1])?.id);
  };
  useShortcuts({ j: () => step(1), k: () => step(-1) });
  if (items.length === 0 && !open) return <Empty isFiltered={isFiltered} />;
  const current = open === undefined ? undefined : (items[at] ?? seen.current.get(open));
  const item = current ?? (open ? toUnlisted(open, search) : undefined);
  const selected = items.filter(({ id }) => checked.has(id));
  return (
    <div className="inbox">
      <div>
        {items.length === 0 && <Empty isFiltered={isFiltered} />}
        <InboxList
          items={items}
          open={open}
          onOpen={select}
          checked={may("approve") ? checked : undefined}
          onChecked={setChecked}
        />
        <p className="hint shortcuts">
          <kbd>j</kbd> next <kbd>k</kbd> previous
          {may("approve") && (
            <>
              {" "}
              <kbd>a</kbd> approve <kbd>r</kbd> reject
            </>
          )}
        </p>
        {/* Last, so that the list does not move. */}
        {selected.length > 0 && <BulkDecision items={selected} onChecked={setChecked} />}
      </div>
      {item && (
        <section className="card" aria-label="Selected approval">
          <Details key={item.id} item={item} onDecided={() => selectNext(item.id)} />
        </section>
      )}
    </div>
  );
}

const Details = (props: { item: InboxItem; onDecided: () => void }): ReactNode =>
  props.item.kind === "evaluation" ? (
    <EvaluationDetails {...props} />
  ) : (
    <StoreRequestDetails {...props} />
  );

/** Returns an item that a link opens, but that is not on this page of the list. */
const toUnlisted = (id: string, search: URLSearchParams): InboxItem => ({
  id,
  kind: search.get("kind") === "store_request" ? "store_request" : "evaluation",
  gateway_id: search.get("gateway_id"),
  state: "pending",
  requester: null,
  subject: "The approval",
  server_name: null,
  tool: null,
  reason: null,
  own: false,
  decided_by: null,
  created_at: "",
  expires_at: "",
});

const Empty = ({ isFiltered }: { isFiltered: boolean }) => (
  <div className="empty">
    {isFiltered ? (
      <p>No matches.</p>
    ) : (
      <p>
        Nothing to decide. Evaluations appear here when a gate or rule has the action{" "}
        <code>ask</code>, and Store requests when a person with the access level{" "}
        <code>request</code> wants to install a server.
      </p>
    )}
  </div>
);
