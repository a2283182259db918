/** Console → Requests: what the data plane answered, newest first, filtered by the address. */
import { call } from "../api.ts";
import { consumers, gateways, registries } from "../endpoints.ts";
import { useLoad } from "../load.ts";
import { Feed } from "../parts/feed.tsx";
import { Icon } from "../parts/icons.tsx";
import { Page, Ready } from "../parts/page.tsx";
import { type Names, requestColumns } from "../parts/request-columns.tsx";
import { RequestFilters } from "../parts/request-filters.tsx";
import { RequestSheet } from "../parts/request-sheet.tsx";
import { fromIn, rangeIn } from "../parts/time-range.ts";
import { useLocation } from "../router.tsx";

/** Filters that go to the server as they are. */
const FILTERS = ["consumer_id", "registry_id", "endpoint", "status", "error_code", "trace_id"];

export function RequestsPage({ gateway_id }: { gateway_id: string }) {
  const { search } = useLocation();
  const key = [rangeIn(search), ...FILTERS.map((name) => search.get(name) ?? "")].join("\n");
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
            <Feed
              key={`${key}${loaded.state === "ready" && loaded.at.getTime()}`}
              what="requests"
              hint="They come when an application sends them with the key of a consumer."
              first={page}
              searching={FILTERS.some((name) => search.get(name))}
              more={(cursor) =>
                call(gateways.requests, {
                  params: { gateway_id },
                  query: { ...queryOf(search), cursor },
                })
              }
              columns={(show) => requestColumns(names, show)}
              sheet={(event, neighbours) => (
                <RequestSheet event={event} names={names} {...neighbours} />
              )}
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
  return { ...Object.fromEntries(given), from: fromIn(search) };
}
