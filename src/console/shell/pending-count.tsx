/** Number of pending decisions in the side bar, refreshed periodically. */
import { useEffect, useEffectEvent } from "react";
import type { Reader } from "../api.ts";
import { useLoad } from "../use-load.ts";

const REFRESH_MS = 30_000;
const MAX_COUNT = 99;

interface PendingCountProps {
  /** Identifies the list: a new key loads it again. */
  loadKey: string;
  load: (
    query: { limit: number },
    read: Reader,
  ) => Promise<{ items: unknown[]; next_cursor: string | null }>;
}

export function PendingCount({ loadKey, load }: PendingCountProps) {
  const loaded = useLoad(loadKey, (read) => load({ limit: MAX_COUNT }, read));
  const refresh = useEffectEvent(() => {
    if (!document.hidden) loaded.reload();
  });
  useEffect(() => {
    const timer = setInterval(() => refresh(), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  // The page of the list shows its errors.
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
