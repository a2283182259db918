/** Watches lists for changes on any node, while a client listens. */
import { AppError } from "../contract/errors.ts";
import type { LiveTopic } from "../contract/live.ts";
import type { Db } from "../db/db.ts";
import { isGatewayTopic, readTopicState } from "../db/tables/topic-state.ts";
import type { Log } from "../lib/log.ts";

const POLL_MS = 1000;
/** Open streams of this node: one for each visible tab of the console. */
const MAX_LISTENERS = 1000;
const MAX_PER_CALLER = 50;

export interface TopicListener {
  /** Id of the client's token. */
  caller: string | null;
  gateway_id: string | undefined;
  /** Returns the topics that the client may read now. Throws the reason to end its stream. */
  topics: () => readonly LiveTopic[];
  /** Called once per poll with the topics that have changed, often none. */
  onPoll: (changed: LiveTopic[]) => void;
  onEnd: (reason: AppError) => void;
}

export interface TopicWatch {
  /** Resolves when later changes are reported. Returns the function that stops it. */
  listen: (listener: TopicListener) => Promise<() => void>;
  /** Ends all streams, and rejects new ones. */
  stop: () => void;
}

/** State of each watched list, by topic and gateway. */
type States = ReadonlyMap<string, string>;

interface Watched {
  listener: TopicListener;
  gateway_id: string | undefined;
  topics: readonly LiveTopic[];
}

export function watchTopics(db: Db, log: Log): TopicWatch {
  const listeners = new Map<TopicListener, States>();
  let isPolling = false;
  let isStopped = false;

  /** Reads each list once, for all listeners. */
  const readStates = async (watched: Iterable<Watched>): Promise<States> => {
    const states = new Map<string, string>();
    for (const { topics, gateway_id } of watched) {
      for (const topic of topics) {
        const key = keyOf(topic, gateway_id);
        if (!states.has(key)) states.set(key, await readTopicState(db, topic, gateway_id));
      }
    }
    return states;
  };
  const end = (listener: TopicListener, reason: AppError) => {
    if (listeners.delete(listener)) listener.onEnd(reason);
  };
  const check = (listener: TopicListener): Watched[] => {
    try {
      return [{ listener, gateway_id: listener.gateway_id, topics: listener.topics() }];
    } catch (thrown) {
      end(listener, AppError.from(thrown));
      return [];
    }
  };
  const poll = async () => {
    const watched = [...listeners.keys()].flatMap(check);
    try {
      const states = await readStates(watched);
      for (const { listener, gateway_id, topics } of watched) {
        const known = listeners.get(listener);
        if (!known) continue; // it left during the read
        listeners.set(listener, states);
        const hasChanged = (topic: LiveTopic) => {
          const key = keyOf(topic, gateway_id);
          return known.get(key) !== states.get(key);
        };
        listener.onPoll(topics.filter(hasChanged));
      }
    } catch (thrown) {
      // The next poll tries again; the configuration watcher logs that the database is unavailable.
      log("live_poll_failed", { level: "debug", error: thrown });
    }
    isPolling = listeners.size > 0;
    if (isPolling) setTimeout(poll, POLL_MS);
  };

  return {
    async listen(listener) {
      if (isStopped) throw new AppError("shutting_down");
      const { gateway_id, caller } = listener;
      const own = [...listeners.keys()].filter((other) => other.caller === caller);
      if (listeners.size >= MAX_LISTENERS || own.length >= MAX_PER_CALLER) {
        throw new AppError("overloaded", "Too many live streams are open on this node.");
      }
      listeners.set(
        listener,
        await readStates([{ listener, gateway_id, topics: listener.topics() }]),
      );
      if (!isPolling) setTimeout(poll, POLL_MS);
      isPolling = true;
      return () => listeners.delete(listener);
    },
    stop() {
      isStopped = true;
      for (const listener of listeners.keys()) end(listener, new AppError("shutting_down"));
    },
  };
}

const keyOf = (topic: LiveTopic, gateway_id: string | undefined): string =>
  isGatewayTopic(topic) ? `${topic} ${gateway_id}` : topic;

declare module "../deps.ts" {
  interface Deps {
    /** Notices of changed lists for open streams. */
    topics: TopicWatch;
  }
}
