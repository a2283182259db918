/** Loads data for a component, keeps the last value, and loads it again after every write. */
import { useEffect, useEffectEvent, useState } from "react";
import { AppError } from "../contract/errors.ts";
import { now } from "../lib/time/clock.ts";
import { call, events, type Reader } from "./api.ts";

export type LoadState<T> =
  | { state: "loading" }
  | { state: "error"; error: AppError }
  /** With an error: the last reload failed, and the value was loaded `at` that time. */
  | { state: "ready"; value: T; busy: boolean; at: Date; of: string; error: AppError | undefined };

export type Load<T> = LoadState<T> & {
  /** The server has not responded within LATE_MS. */
  late: boolean;
  /** Number of reloads: as a part of the key of another load, it makes both reload together. */
  turn: number;
  reload: () => void;
};

const LATE_MS = 8_000;

/**
 * Loads again when `key` changes and after every write, and returns the last value meanwhile. A failed
 * reload keeps the value, so that an outage does not discard what the user typed.
 */
export function useLoad<T>(
  key: string,
  /** Its calls are aborted when it runs again and when the component unmounts. */
  load: (read: Reader) => Promise<T>,
  /** For feeds, which are read page by page: a write in another tab does not restart them. */
  { ignoreOtherTabs = false } = {},
): Load<T> {
  const [loaded, setLoaded] = useState<LoadState<T>>({ state: "loading" });
  const [late, setLate] = useState(false);
  const [turn, setTurn] = useState(0);
  const reload = () => setTurn((count) => count + 1);
  const run = useEffectEvent(load);

  // biome-ignore lint/correctness/useExhaustiveDependencies: key and turn trigger the load
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    setLoaded((last) => (last.state === "ready" ? { ...last, busy: true } : { state: "loading" }));
    const timer = setTimeout(() => setLate(true), LATE_MS);
    const done = () => {
      clearTimeout(timer);
      setLate(false);
    };
    run((endpoint, input) => call(endpoint, input, signal))
      .then(
        (value) => signal.aborted || setLoaded({ ...READY, value, at: now(), of: key }),
        (thrown) => signal.aborted || setLoaded((last) => toFailed(last, key, thrown)),
      )
      .then(() => signal.aborted || done());
    return () => {
      done();
      controller.abort();
    };
  }, [key, turn]);

  useEffect(() => {
    const loadAgain = () => setTurn((count) => count + 1);
    const names = ignoreOtherTabs ? ["changed"] : ["changed", "changed-elsewhere"];
    for (const name of names) events.addEventListener(name, loadAgain);
    return () => {
      for (const name of names) events.removeEventListener(name, loadAgain);
    };
  }, [ignoreOtherTabs]);

  return { ...loaded, late, turn, reload };
}

const READY = { state: "ready", busy: false, error: undefined } as const;

/** Keeps the last value only if it belongs to the same key. */
function toFailed<T>(last: LoadState<T>, key: string, thrown: unknown): LoadState<T> {
  const error = AppError.from(thrown);
  return last.state === "ready" && last.of === key
    ? { ...last, busy: false, error }
    : { state: "error", error };
}
