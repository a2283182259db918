/** Console → Home: is it working? Counts, the last requests, and first steps while there are none. */
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
  const { gateway, gateways: known } = useSession();
  return (
    <Page
      title="Home"
      about={gateway ? `What happens at ${gateway.name}.` : "Welcome to Portcullis."}
    >
      {gateway ? (
        <Overview key={gateway.id} gateway={gateway} count={known.length} />
      ) : (
        <FirstSteps />
      )}
    </Page>
  );
}

interface Found<T> {
  items: T[];
  next_cursor: string | null;
}

function Overview({ gateway, count }: { gateway: Gateway; count: number }) {
  const { allGateways } = useSession();
  const params = { gateway_id: gateway.id };
  const here = `/gateways/${gateway.id}`;
  const loaded = useLoad(gateway.id, async (read) => {
    const from = new Date(now().getTime() - HOUR_MS).toISOString();
    const query = { limit: 200 };
    const [upstreams, clients, hour, last, judged] = await Promise.all([
      read(registries.list, { params, query }),
      read(consumers.list, { params, query }),
      read(gateways.requests, { params, query: { ...query, from } }),
      read(gateways.requests, { params, query: { limit: 8 } }),
      allGateways ? read(activity.counts, { params: {}, query: { from } }) : undefined,
    ]);
    return { upstreams, clients, hour, last, judged, key: await anyKey(params, clients) };
  });
  return (
    <Ready of={loaded} what="The overview">
      {({ upstreams, clients, hour, last, judged, key }) => (
        <>
          <ul className="tiles">
            <Tile to="/gateways" name="Gateways" value={`${count}`} />
            <Tile
              to={`${here}/registries`}
              name="Registries"
              value={amount(upstreams)}
              more={part(upstreams, ({ enabled }) => enabled, "enabled")}
            />
            <Tile
              to={`${here}/consumers`}
              name="Consumers"
              value={amount(clients)}
              more={part(clients, ({ active }) => active, "active")}
            />
            <Tile
              to={`${here}/requests`}
              name="Requests, last hour"
              value={amount(hour)}
              more={part(hour, ({ status }) => status >= 400, "refused or failed")}
            />
            {judged && (
              <Tile
                to="/activity"
                name="Evaluations, last hour"
                value={judged.total.toLocaleString()}
                more={`${judged.by_status.block ?? 0} blocked, of all gateways`}
              />
            )}
          </ul>
          {last.items.length === 0 ? (
            <FirstSteps
              gateway={gateway}
              upstreams={upstreams.items}
              consumer={clients.items[0]}
              hasKey={key}
            />
          ) : (
            <LastRequests here={here} requests={last} upstreams={upstreams} clients={clients} />
          )}
        </>
      )}
    </Ready>
  );
}

interface LastRequestsProps {
  here: string;
  requests: Found<RequestEvent>;
  upstreams: Found<Registry>;
  clients: Found<Consumer>;
}

function LastRequests({ here, requests, upstreams, clients }: LastRequestsProps) {
  const named = (items: readonly { id: string; name: string }[]) =>
    new Map(items.map(({ id, name }) => [id, name]));
  const names = { consumers: named(clients.items), registries: named(upstreams.items) };
  return (
    <section>
      <div className="section-head">
        <h2>Last requests</h2>
        <Link to={`${here}/requests?range=all`}>All requests</Link>
      </div>
      <Table
        caption="Last requests"
        columns={requestColumns(names, (id) => navigate(`${here}/requests?range=all&open=${id}`))}
        rows={requests.items}
        empty={null}
      />
    </section>
  );
}

/** One key is enough to send a request. */
async function anyKey(params: { gateway_id: string }, clients: Found<Consumer>): Promise<boolean> {
  const [first] = clients.items;
  if (!first) return false;
  const place = { ...params, consumer_id: first.id };
  const found = await call(consumerKeys.list, { params: place, query: { limit: 1 } });
  return found.items.length > 0;
}

const amount = ({ items, next_cursor }: Found<unknown>): string =>
  `${items.length}${next_cursor ? "+" : ""}`;

/** How many of those that were read: not all, where there are more. */
function part<T>({ items, next_cursor }: Found<T>, counts: (item: T) => boolean, word: string) {
  const of = next_cursor ? ` of ${items.length}` : "";
  return `${items.filter(counts).length}${of} ${word}`;
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
