/** Console → Home: counts and recent requests, or first steps while there are none. */
import type { Consumer } from "../../contract/consumers.ts";
import type { Gateway } from "../../contract/gateways.ts";
import type { Registry } from "../../contract/registries.ts";
import type { RequestEvent } from "../../contract/requests.ts";
import { now } from "../../lib/time/clock.ts";
import { call } from "../api.ts";
import { activity, consumerKeys, consumers, gateways, registries } from "../endpoints.ts";
import { requestColumns } from "../requests/request-columns.tsx";
import { Link, navigate } from "../router.tsx";
import { useSession } from "../session.ts";
import { Page, Ready } from "../ui/page.tsx";
import { Table } from "../ui/table.tsx";
import { useLoad } from "../use-load.ts";
import { FirstSteps } from "./first-steps.tsx";

const HOUR_MS = 3_600_000;

export function HomePage() {
  const { gateway, gateways: all } = useSession();
  return (
    <Page title="Home" about={gateway ? `Overview of ${gateway.name}.` : "Welcome to Portcullis."}>
      {gateway ? (
        <Overview key={gateway.id} gateway={gateway} count={all.length} />
      ) : (
        <FirstSteps />
      )}
    </Page>
  );
}

interface FirstPage<T> {
  items: T[];
  next_cursor: string | null;
}

function Overview({ gateway, count }: { gateway: Gateway; count: number }) {
  const { allGateways } = useSession();
  const params = { gateway_id: gateway.id };
  const path = `/gateways/${gateway.id}`;
  const loaded = useLoad(gateway.id, async (read) => {
    const from = new Date(now().getTime() - HOUR_MS).toISOString();
    const query = { limit: 200 };
    const [upstreams, clients, hour, latest, evaluations] = await Promise.all([
      read(registries.list, { params, query }),
      read(consumers.list, { params, query }),
      read(gateways.requests, { params, query: { ...query, from } }),
      read(gateways.requests, { params, query: { limit: 8 } }),
      allGateways ? read(activity.counts, { params: {}, query: { from } }) : undefined,
    ]);
    return {
      upstreams,
      clients,
      hour,
      latest,
      evaluations,
      hasKey: await hasAnyKey(params, clients),
    };
  });
  return (
    <Ready of={loaded} what="The overview">
      {({ upstreams, clients, hour, latest, evaluations, hasKey }) => (
        <>
          <ul className="tiles">
            <Tile to="/gateways" name="Gateways" value={`${count}`} />
            <Tile
              to={`${path}/registries`}
              name="Registries"
              value={formatCount(upstreams)}
              more={countMatches(upstreams, ({ enabled }) => enabled, "enabled")}
            />
            <Tile
              to={`${path}/consumers`}
              name="Consumers"
              value={formatCount(clients)}
              more={countMatches(clients, ({ active }) => active, "active")}
            />
            <Tile
              to={`${path}/requests`}
              name="Requests, last hour"
              value={formatCount(hour)}
              more={countMatches(hour, ({ status }) => status >= 400, "failed")}
            />
            {evaluations && (
              <Tile
                to="/activity"
                name="Evaluations, last hour"
                value={evaluations.total.toLocaleString()}
                more={`${evaluations.by_status.block ?? 0} blocked, all gateways`}
              />
            )}
          </ul>
          {latest.items.length === 0 ? (
            <FirstSteps
              gateway={gateway}
              upstreams={upstreams.items}
              consumer={clients.items[0]}
              hasKey={hasKey}
            />
          ) : (
            <RecentRequests path={path} requests={latest} upstreams={upstreams} clients={clients} />
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

const formatCount = ({ items, next_cursor }: FirstPage<unknown>): string =>
  `${items.length}${next_cursor ? "+" : ""}`;

/** Counts matching items of the first page, and says so if there are more pages. */
function countMatches<T>(
  { items, next_cursor }: FirstPage<T>,
  matches: (item: T) => boolean,
  word: string,
) {
  const of = next_cursor ? ` of ${items.length}` : "";
  return `${items.filter(matches).length}${of} ${word}`;
}

interface TileProps {
  to: string;
  name: string;
  value: string;
  more?: string;
}

function Tile({ to, name, value, more }: TileProps) {
  return (
    <li>
      <Link to={to} className="tile">
        <span className="tile-name">{name}</span>
        <span className="tile-value">{value}</span>
        <span className="tile-more">{more ?? "in this installation"}</span>
      </Link>
    </li>
  );
}
