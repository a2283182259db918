/** Console → Requests: what the data plane answered, newest first, filtered by the address. */
import { useState } from "react";
import type { RequestEvent } from "../../contract/requests.ts";
import { now } from "../../lib/clock.ts";
import { call } from "../api.ts";
import { consumers, gateways, registries } from "../endpoints.ts";
import { useAction, useLoad } from "../load.ts";
import { Icon } from "../parts/icons.tsx";
import { Failure, Page, Ready } from "../parts/page.tsx";
import { type Names, requestColumns } from "../parts/request-columns.tsx";
import { RequestFilters } from "../parts/request-filters.tsx";
import { RequestSheet } from "../parts/request-sheet.tsx";
import { Table } from "../parts/table.tsx";
import { changeQuery, useLocation } from "../router.tsx";

/** Filters that go to the server as they are. */
const FILTERS = ["consumer_id", "registry_id", "endpoint", "status", "error_code", "trace_id"];
const RANGES_MS: Record<string, number> = {
  "15m": 900_000,
  "1h": 3_600_000,
  "24h": 86_400_000,
  "7d": 604_800_000,
};

export function RequestsPage({ gateway_id }: { gateway_id: string }) {
  const { search } = useLocation();
  const filters = [...FILTERS, "range"].map((name) => [name, search.get(name) ?? ""] as const);
  const key = JSON.stringify(filters);
  const loaded = useLoad(key, async () => {
    const [page, names] = await Promise.all([
      call(gateways.requests, { params: { gateway_id }, query: queryOf(search) }),
      namesOf(gateway_id),
    ]);
    return { page, names };
  });
  const refresh = (
    <button type="button" className="button" onClick={loaded.reload}>
      <Icon name="reload" /> Refresh
    </button>
  );
  return (
    <Page
      title="Requests"
      about={
        loaded.state === "ready"
          ? `Newest first. As of ${loaded.at.toLocaleTimeString()}.`
          : "Newest first."
      }
      actions={refresh}
    >
      <Ready of={loaded} what="The requests">
        {({ page, names }) => (
          <>
            <RequestFilters names={names} />
            <Pages
              key={`${key}${loaded.state === "ready" && loaded.at.getTime()}`}
              first={page}
              names={names}
              more={(cursor) =>
                call(gateways.requests, {
                  params: { gateway_id },
                  query: { ...queryOf(search), cursor },
                })
              }
            />
          </>
        )}
      </Ready>
    </Page>
  );
}

async function namesOf(gateway_id: string): Promise<Names> {
  const asked = { params: { gateway_id }, query: { limit: 200, sort: "name" } };
  const [clients, upstreams] = await Promise.all([
    call(consumers.list, asked),
    call(registries.list, asked),
  ]);
  const named = (items: readonly { id: string; name: string }[]) =>
    new Map(items.map(({ id, name }) => [id, name]));
  return { consumers: named(clients.items), registries: named(upstreams.items) };
}

function queryOf(search: URLSearchParams) {
  const given = FILTERS.map((name) => [name, search.get(name) || undefined]);
  const range = search.get("range") ?? "1h";
  const span = RANGES_MS[range];
  const from = span === undefined ? {} : { from: new Date(now().getTime() - span).toISOString() };
  return { ...Object.fromEntries(given), ...from };
}

interface Found {
  items: RequestEvent[];
  next_cursor: string | null;
}

interface PagesProps {
  first: Found;
  names: Names;
  more: (cursor: string) => Promise<Found>;
}

/** The first page and those that were asked for after it. */
function Pages({ first, names, more }: PagesProps) {
  const [page, setPage] = useState(first);
  const open = useLocation().search.get("request");
  const load = useAction(async () => {
    const next = await more(page.next_cursor ?? "");
    setPage({ items: [...page.items, ...next.items], next_cursor: next.next_cursor });
  });
  const show = (id: string | undefined) => changeQuery({ request: id }, "replace");
  const at = page.items.findIndex(({ id }) => id === open);
  const shown = page.items[at];
  return (
    <>
      <Table
        caption="Requests, newest first"
        columns={requestColumns(names, show)}
        rows={page.items}
        empty={<Nothing />}
      />
      <Failure title="More requests could not be loaded." error={load.error} />
      {page.next_cursor && (
        <div className="pager">
          <button
            type="button"
            className="button"
            disabled={load.busy}
            onClick={() => void load.run()}
          >
            {load.busy ? "Loading…" : "Load more"}
          </button>
        </div>
      )}
      {shown && (
        <RequestSheet
          event={shown}
          names={names}
          onClose={() => show(undefined)}
          newer={at > 0 ? () => show(page.items[at - 1]?.id) : undefined}
          older={at < page.items.length - 1 ? () => show(page.items[at + 1]?.id) : undefined}
        />
      )}
    </>
  );
}

function Nothing() {
  const { search } = useLocation();
  const range = search.get("range") ?? "1h";
  return (
    <>
      <p>No request matches {range === "all" ? "." : "in this time."}</p>
      {range !== "all" && (
        <button type="button" className="button" onClick={() => changeQuery({ range: "all" })}>
          Look at all times
        </button>
      )}
    </>
  );
}
