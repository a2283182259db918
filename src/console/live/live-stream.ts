/** One stream of notices for the whole tab, open while the tab is visible. */
import { useEffect, useEffectEvent } from "react";
import type { LiveNotice, LiveTopic } from "../../contract/live.ts";
import { elapsedMs } from "../../lib/time/clock.ts";
import { endpointUrl, events } from "../api.ts";
import { live } from "../endpoints.ts";

const RETRY_MS = 10_000;
/** Time between two refreshes of the same component. */
const REFRESH_MS = 2_000;
/** The same, for counts and charts. */
export const CHART_REFRESH_MS = 5_000;

/** Opens the stream for the signed-in administrator and the selected gateway. */
export function useLiveStream(gateway_id: string | undefined): void {
  useEffect(() => {
    let source: EventSource | undefined;
    let retry: ReturnType<typeof setTimeout> | undefined;
    let isFirst = true;
    const close = () => {
      clearTimeout(retry);
      source?.close();
    };
    // A hidden tab has no stream: browsers limit the connections to a server.
    const open = () => {
      close();
      if (!document.hidden) source = connect();
    };
    const connect = () => {
      const opened = new EventSource(
        endpointUrl(live.stream, { params: {}, query: { gateway_id } }),
      );
      opened.onopen = () => {
        if (!isFirst) notify(); // anything may have changed meanwhile
        isFirst = false;
      };
      opened.addEventListener("changed", ({ data }) => {
        const { topics }: LiveNotice = JSON.parse(data);
        notify(topics);
      });
      opened.addEventListener("end", ({ data }) => {
        if (JSON.parse(data).error === "unauthorized") {
          events.dispatchEvent(new Event("signed-out"));
        }
      });
      opened.onerror = () => {
        // The browser itself connects again after a lost connection, but not after an error response.
        if (opened.readyState === EventSource.CLOSED) retry = setTimeout(open, RETRY_MS);
      };
      return opened;
    };
    open();
    document.addEventListener("visibilitychange", open);
    return () => {
      document.removeEventListener("visibilitychange", open);
      close();
    };
  }, [gateway_id]);
}

/** Reports changes of these topics, or of all. */
const notify = (topics?: readonly LiveTopic[]): boolean =>
  events.dispatchEvent(new CustomEvent("live", { detail: topics }));

/** Calls `onChange` after changes of these topics, at most every `every_ms`. */
export function useLive(
  topics: readonly LiveTopic[],
  onChange: () => void,
  every_ms = REFRESH_MS,
): void {
  const run = useEffectEvent(onChange);
  const isWatched = useEffectEvent((topic: LiveTopic) => topics.includes(topic));
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let last = Number.NEGATIVE_INFINITY;
    const refresh = () => {
      timer = undefined;
      last = elapsedMs();
      run();
    };
    const onNotice = (event: Event) => {
      const { detail } = event as CustomEvent<LiveTopic[] | undefined>;
      if (timer !== undefined || (detail && !detail.some(isWatched))) return;
      timer = setTimeout(refresh, Math.max(0, last + every_ms - elapsedMs()));
    };
    events.addEventListener("live", onNotice);
    return () => {
      clearTimeout(timer);
      events.removeEventListener("live", onNotice);
    };
  }, [every_ms]);
}
