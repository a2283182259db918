/** Totals of the selected range, compared with the range before it, with links to the lists. */
import type { Gateway } from "../../contract/gateway/gateways.ts";
import type { ActivityStatistics, RequestStatistics } from "../../contract/statistics.ts";
import { Link } from "../router.tsx";

interface StatisticTilesProps {
  gateway: Gateway;
  requests: RequestStatistics;
  evaluations: ActivityStatistics | undefined;
  range: string;
}

export function StatisticTiles({ gateway, requests, evaluations, range }: StatisticTilesProps) {
  const { totals, previous } = requests;
  const list = `/gateways/${gateway.id}/requests?range=${range}`;
  const { from, to } = requests;
  const times = new URLSearchParams({ from, to });
  return (
    <ul className="tiles">
      <Tile to={list} name="Requests" now={totals.requests} before={previous.requests} />
      <Tile
        to={`${list}&status_class=errors`}
        name="Failed requests"
        now={totals.errors}
        before={previous.errors}
        more={toShare(totals.errors, totals.requests)}
      />
      <Tile
        to={`/gateways/${gateway.id}/requests?${times}&error_code=rate_limited`}
        name="Rate-limited"
        now={totals.rate_limited}
        before={previous.rate_limited}
      />
      <Tile
        to={list}
        name="Tokens"
        now={totals.input_tokens + totals.output_tokens}
        before={previous.input_tokens + previous.output_tokens}
      />
      {evaluations && (
        <>
          <Tile
            to={`/activity?range=${range}`}
            name="Evaluations, all gateways"
            now={evaluations.total}
            before={evaluations.previous_total}
          />
          <Tile
            to={`/activity?range=${range}&status=block`}
            name="Blocked"
            now={evaluations.totals.block ?? 0}
            before={evaluations.previous.block ?? 0}
            more={toShare(evaluations.totals.block ?? 0, evaluations.total)}
          />
        </>
      )}
    </ul>
  );
}

interface TileProps {
  to: string;
  name: string;
  now: number;
  before: number;
  more?: string;
}

function Tile({ to, name, now, before, more }: TileProps) {
  return (
    <li>
      <Link to={to} className="tile">
        <span className="tile-name">{name}</span>
        <span className="tile-value">{formatTotal(now)}</span>
        {more && <span className="tile-more">{more}</span>}
        <span className="tile-more">{toChange(now, before)}</span>
      </Link>
    </li>
  );
}

/** Shortens large numbers, which a tile has no room for. */
const formatTotal = (total: number): string =>
  total < 10_000_000
    ? total.toLocaleString()
    : total.toLocaleString(undefined, { notation: "compact", maximumFractionDigits: 1 });

const PERCENT = { style: "percent", maximumFractionDigits: 1 } as const;

const toShare = (part: number, whole: number): string =>
  whole === 0 ? "" : `${(part / whole).toLocaleString(undefined, PERCENT)} of all`;

function toChange(now: number, before: number): string {
  if (before === 0) return "none in the range before";
  const change = now / before - 1;
  const sign = change > 0 ? "+" : "";
  return `${sign}${change.toLocaleString(undefined, PERCENT)} to the range before`;
}
