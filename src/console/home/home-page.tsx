/** Console → Home: first steps while the selected gateway has no requests with a key, its dashboard and recent requests. */
import type { Consumer } from "../../contract/gateway/consumers.ts";
import type { Gateway } from "../../contract/gateway/gateways.ts";
import type { Registry } from "../../contract/gateway/registries.ts";
import type { RequestEvent } from "../../contract/gateway/requests.ts";
import { call } from "../api.ts";
import { consumerKeys, consumers, gateways, registries } from "../endpoints.ts";
import { useLive } from "../live/live-stream.ts";
import { requestColumns } from "../requests/request-columns.tsx";
import { Link, navigate } from "../router.tsx";
import { useSession } from "../session.ts";
import { Page, Ready } from "../ui/page.tsx";
import { Table } from "../ui/table.tsx";
import { useLoad } from "../use-load.ts";
import { Dashboard, useDashboard } from "./dashboard.tsx";
import { FirstSteps } from "./first-steps.tsx";

export function HomePage() {
  const { gateway } = useSession();
  return (
    <Page title="Home" about={gateway ? `Overview of ${gateway.name}.` : "Welcome to Portcullis."}>
      {gateway ? <Overview key={gateway.id} gateway={gateway} /> : <FirstSteps />}
    </Page>
  );
}

interface FirstPage<T> {
  items: T[];
  next_cursor: string | null;
}

function Overview({ gateway }: { gateway: Gateway }) {
  const params = { gateway_id: gateway.id };
  const loaded = useLoad(gateway.id, async (read) => {
    const query = { limit: 200 };
    const [upstreams, clients, latest] = await Promise.all([
      read(registries.list, { params, query }),
      read(consumers.list, { params, query }),
      read(gateways.requests, { params, query: { limit: 8 } }),
    ]);
    return { upstreams, clients, latest, hasKey: await hasAnyKey(params, clients) };
  });
  useLive(["requests"], loaded.reload);
  const dashboard = useDashboard(gateway);
  return (
    <Ready of={loaded} what="The overview">
      {({ upstreams, clients, latest, hasKey }) => (
        <>
          {latest.items.every(({ key_id }) => key_id === null) && (
            <FirstSteps
              gateway={gateway}
              upstreams={upstreams.items}
              consumer={clients.items[0]}
              hasKey={hasKey}
            />
          )}
          <Dashboard gateway={gateway} loaded={dashboard} />
          {latest.items.length > 0 && (
            <RecentRequests
              path={`/gateways/${gateway.id}`}
              requests={latest}
              upstreams={upstreams}
              clients={clients}
            />
          )}
        </>
      )}
    </Ready>
  );
}

interface RecentRequestsProps {
  path: string;
  requests: FirstPage<RequestEvent>;
  upstreams: FirstPage<Registry>;
  clients: FirstPage<Consumer>;
}

function RecentRequests({ path, requests, upstreams, clients }: RecentRequestsProps) {
  const toNames = (items: readonly { id: string; name: string }[]) =>
    new Map(items.map(({ id, name }) => [id, name]));
  const names = { consumers: toNames(clients.items), registries: toNames(upstreams.items) };
  return (
    <section>
      <div className="section-head">
        <h2>Recent requests</h2>
        <Link to={`${path}/requests?range=all`}>All requests</Link>
      </div>
      <Table
        caption="Recent requests"
        columns={requestColumns(names, (id) => navigate(`${path}/requests?range=all&open=${id}`))}
        rows={requests.items}
        empty={null}
      />
    </section>
  );
}

/** Returns whether the first consumer has a key, which is enough to send a request. */
async function hasAnyKey(
  params: { gateway_id: string },
  clients: FirstPage<Consumer>,
): Promise<boolean> {
  const [first] = clients.items;
  if (!first) return false;
  const input = { params: { ...params, consumer_id: first.id }, query: { limit: 1 } };
  return (await call(consumerKeys.list, input)).items.length > 0;
}
