/** Number of pending decisions in the side bar, refreshed when they change. */
import type { LiveTopic } from "../../contract/live.ts";
import type { Reader } from "../api.ts";
import { useLive } from "../live/live-stream.ts";
import { useLoad } from "../use-load.ts";

const MAX_COUNT = 99;

interface PendingCountProps {
  /** Identifies the list: a new key loads it again. */
  loadKey: string;
  topics: readonly LiveTopic[];
  load: (
    query: { limit: number },
    read: Reader,
  ) => Promise<{ items: unknown[]; next_cursor: string | null }>;
}

export function PendingCount({ loadKey, topics, load }: PendingCountProps) {
  const loaded = useLoad(loadKey, (read) => load({ limit: MAX_COUNT }, read));
  useLive(topics, loaded.reload);
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
