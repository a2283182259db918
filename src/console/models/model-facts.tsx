/** Cells with facts of a model: sizes, prices and retirement. */
import type { CatalogModel } from "../../contract/gateway/model-catalog.ts";
import { now } from "../../lib/time/clock.ts";
import { Badge } from "../ui/badge.tsx";

const COMPACT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 2 });
const USD = new Intl.NumberFormat("en", {
  style: "currency",
  currency: "USD",
  maximumFractionDigits: 4,
});

export const Unknown = () => <span className="muted">unknown</span>;

export function Tokens({ count }: { count: number | null | undefined }) {
  if (count == null) return <Unknown />;
  return <span title={count.toLocaleString()}>{COMPACT.format(count)}</span>;
}

interface PriceProps {
  prices: CatalogModel["prices"] | undefined;
  of: "input" | "cached_input" | "output";
}

/** Shows the price of long requests, such as `> 200K: $4.00`, below the usual one. */
export function Price({ prices, of }: PriceProps) {
  const price = prices?.[of] ?? null;
  if (price === null) return <Unknown />;
  const long = prices?.long_context;
  return (
    <>
      {USD.format(price)}
      {long && long[of] !== null && (
        <div className="hint">
          {`>\u00a0${COMPACT.format(long.above)}: ${USD.format(long[of])}`}
        </div>
      )}
    </>
  );
}

export function Retirement({ on }: { on: string | null }) {
  if (on === null) return <span className="muted">not announced</span>;
  const isRetired = on <= now().toISOString().slice(0, 10);
  return isRetired ? (
    <Badge tone="bad" icon="cross" text={`retired ${on}`} />
  ) : (
    <Badge tone="warn" icon="warning" text={`retires ${on}`} />
  );
}
