/** Adds new events to the top of a list as they are recorded, unless the user has paused it. */
import { useState } from "react";
import type { LiveTopic } from "../../contract/live.ts";
import { changeQuery, useLocation } from "../router.tsx";
import type { EventPage } from "../ui/feed.tsx";
import { readRangeBounds } from "../ui/time-range.ts";
import { useLive } from "./live-stream.ts";

export interface Tail<Event> {
  /** Events that were recorded after the list was loaded, newest first. */
  fresh: readonly Event[];
  /** Number of new events that are not shown while paused; undefined: more than a page. */
  waiting: number | undefined;
  isPaused: boolean;
  /** False for a time range that has ended: nothing can be added. */
  isAvailable: boolean;
  toggle: () => void;
}

interface TailOptions<Event> {
  topic: LiveTopic;
  /** The loaded list, or undefined. */
  first: EventPage<Event> | undefined;
  /** Reads the first page with the same filters. */
  readNewest: () => Promise<EventPage<Event>>;
  /** Loads the list again. */
  reload: () => void;
}

/** New events in the list. After that, the list is loaded again. */
const MAX_FRESH = 500;

interface Arrived<Event> {
  /** The list that they belong on top of. */
  of: EventPage<Event> | undefined;
  events: readonly Event[];
  /** Number of events that are shown; the oldest ones. */
  shown: number;
  /** Events between these and the list are missing. */
  hasGap: boolean;
}

export function useTail<Event extends { id: string }>(options: TailOptions<Event>): Tail<Event> {
  const { topic, first, readNewest, reload } = options;
  const { search } = useLocation();
  const isPaused = search.get("live") === "off";
  const isAvailable = readRangeBounds(search).to === undefined;
  const none: Arrived<Event> = { of: first, events: [], shown: 0, hasGap: false };
  const [state, setState] = useState(none);
  const arrived = state.of === first ? state : none;

  const refresh = async () => {
    if (!first || !isAvailable || document.hidden) return;
    const newest = await readNewest();
    const known = new Set([...arrived.events, ...first.items].map(({ id }) => id));
    const added = newest.items.filter(({ id }) => !known.has(id));
    if (added.length === 0) return;
    const events = [...added, ...arrived.events].sort((one, other) => (one.id < other.id ? 1 : -1));
    const isPageNew = added.length === newest.items.length && newest.next_cursor !== null;
    const hasGap = arrived.hasGap || isPageNew || events.length > MAX_FRESH;
    if (hasGap && !isPaused) reload();
    else {
      const shown = isPaused ? arrived.shown : events.length;
      setState({ of: first, events: events.slice(0, MAX_FRESH), shown, hasGap });
    }
  };
  // The next notice tries again; the connection state of the page is not worth an error message.
  useLive([topic], () => void refresh().catch(() => {}));

  return {
    fresh: arrived.events.slice(arrived.events.length - arrived.shown),
    waiting: arrived.hasGap ? undefined : arrived.events.length - arrived.shown,
    isPaused,
    isAvailable,
    toggle() {
      changeQuery({ live: isPaused ? undefined : "off" }, "replace");
      if (!isPaused) return;
      if (arrived.hasGap) reload();
      else setState({ ...arrived, shown: arrived.events.length });
    },
  };
}
