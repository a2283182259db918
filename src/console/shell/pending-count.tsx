/** How many wait for a decision, beside their place in the side bar; looked at again now and then. */
import { useEffect, useEffectEvent } from "react";
import type { Reader } from "../api.ts";
import { useLoad } from "../use-load.ts";

const AGAIN_MS = 30_000;
const MOST = 99;

interface PendingCountProps {
  /** Whose they are: another one is looked at anew. */
  of: string;
  load: (
    query: { limit: number },
    read: Reader,
  ) => Promise<{ items: unknown[]; next_cursor: string | null }>;
}

export function PendingCount({ of, load }: PendingCountProps) {
  const loaded = useLoad(of, (read) => load({ limit: MOST }, read));
  const again = useEffectEvent(() => {
    if (!document.hidden) loaded.reload();
  });
  useEffect(() => {
    const timer = setInterval(() => again(), AGAIN_MS);
    return () => clearInterval(timer);
  }, []);
  // The page itself says what went wrong; here it would only be in the way.
  if (loaded.state !== "ready" || loaded.value.items.length === 0) return null;
  const { items, next_cursor } = loaded.value;
  return (
    <span className="count">
      {items.length}
      {next_cursor && "+"}
      <span className="visually-hidden"> pending</span>
    </span>
  );
}
