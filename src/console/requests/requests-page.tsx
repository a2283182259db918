/** Console → Requests: recorded requests of a gateway, newest first, filtered by the address. */
import { call, type Reader } from "../api.ts";
import { consumers, gateways, registries } from "../endpoints.ts";
import { TailButton } from "../live/tail-button.tsx";
import { useTail } from "../live/use-tail.ts";
import { formatTimeOfDay } from "../preferences.ts";
import { readNamesById } from "../read-all-pages.ts";
import { useLocation } from "../router.tsx";
import { Feed } from "../ui/feed.tsx";
import { Icon } from "../ui/icon.tsx";
import { Page, Ready } from "../ui/page.tsx";
import { readRange, readRangeBounds } from "../ui/time-range.ts";
import { useLoad } from "../use-load.ts";
import { type RequestNames, requestColumns } from "./request-columns.tsx";
import { RequestFilters } from "./request-filters.tsx";
import { RequestSheet } from "./request-sheet.tsx";
import { RequestVolume } from "./request-volume.tsx";

/** Filters with the server's names. */
const FILTERS = [
  "consumer_id",
  "key_id",
  "user_id",
  "registry_id",
  "endpoint",
  "model_sent",
  "status_class",
  "status",
  "error_code",
  "trace_id",
];

export function RequestsPage({ gateway_id }: { gateway_id: string }) {
  const { search } = useLocation();
  const key = [readRange(search), ...FILTERS.map((name) => search.get(name) ?? "")].join("\n");
  const loaded = useLoad(
    key,
    (read) => read(gateways.requests, { params: { gateway_id }, query: readQuery(search) }),
    { ignoreOtherTabs: true },
  );
  const readPage = (cursor?: string) =>
    call(gateways.requests, { params: { gateway_id }, query: { ...readQuery(search), cursor } });
  const tail = useTail({
    topic: "requests",
    first: loaded.state === "ready" ? loaded.value : undefined,
    readNewest: readPage,
    reload: loaded.reload,
  });
  const loadedNames = useLoad(gateway_id, (read) => readNames(read, gateway_id));
  const names = loadedNames.state === "ready" ? loadedNames.value : NO_NAMES;
  const actions = (
    <>
      <TailButton tail={tail} />
      <button type="button" className="button" onClick={loaded.reload}>
        <Icon name="reload" /> Refresh
      </button>
    </>
  );
  return (
    <Page
      title="Requests"
      about={
        loaded.state === "ready"
          ? `Newest first. Updated at ${formatTimeOfDay(loaded.at)}.`
          : "Newest first."
      }
      actions={actions}
    >
      <RequestFilters names={names} />
      <RequestVolume
        gateway_id={gateway_id}
        turn={loaded.turn}
        filters={FILTERS}
        isLive={!tail.isPaused}
      />
      <Ready of={loaded} what="The requests">
        {(page) => (
          <Feed
            key={`${key}${loaded.state === "ready" && loaded.at.getTime()}`}
            what="requests"
            hint="They appear when an application sends them with a consumer key."
            first={page}
            fresh={tail.fresh}
            searching={FILTERS.some((name) => search.get(name))}
            more={readPage}
            columns={(show) => requestColumns(names, show)}
            sheet={(event, navigation) => (
              <RequestSheet event={event} names={names} {...navigation} />
            )}
          />
        )}
      </Ready>
    </Page>
  );
}

const NO_NAMES: RequestNames = { consumers: new Map(), registries: new Map() };

async function readNames(read: Reader, gateway_id: string): Promise<RequestNames> {
  const params = { gateway_id };
  const [clients, upstreams] = await Promise.all([
    readNamesById((query) => read(consumers.list, { params, query })),
    readNamesById((query) => read(registries.list, { params, query })),
  ]);
  return { consumers: clients, registries: upstreams };
}

function readQuery(search: URLSearchParams) {
  const filters = FILTERS.map((name) => [name, search.get(name) || undefined]);
  return { ...Object.fromEntries(filters), ...readRangeBounds(search) };
}
