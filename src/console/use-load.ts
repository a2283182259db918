/** What a page knows of a call: it is on its way, it failed, or here is what came. */
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { AppError } from "../contract/errors.ts";
import { now } from "../lib/time/clock.ts";
import { call, events, type Reader } from "./api.ts";

export type Loaded<T> =
  | { state: "loading" }
  | { state: "error"; error: AppError }
  /** With an error: reading it again failed, and the value is what was there `at` that time. */
  | { state: "ready"; value: T; busy: boolean; at: Date; of: string; error: AppError | undefined };

export type Load<T> = Loaded<T> & {
  /** It was asked for a while ago, and there is no answer yet. */
  late: boolean;
  reload: () => void;
};

const LATE_MS = 8_000;

/**
 * Asks again when `key` changes and after every write; until then the last answer stays. It also stays
 * when asking again fails, so that a server that is away for a moment takes nothing that was typed.
 */
export function useLoad<T>(
  key: string,
  /** What it reads is given up when it is asked again, or nobody looks any more. */
  load: (read: Reader) => Promise<T>,
  /** As of a moment, and read on page by page: another tab does not begin it anew. */
  { still = false } = {},
): Load<T> {
  const [loaded, setLoaded] = useState<Loaded<T>>({ state: "loading" });
  const [late, setLate] = useState(false);
  const [turn, setTurn] = useState(0);
  const reload = () => setTurn((count) => count + 1);
  const run = useEffectEvent(load);

  // biome-ignore lint/correctness/useExhaustiveDependencies: key and turn say when to ask again
  useEffect(() => {
    const asking = new AbortController();
    const { signal } = asking;
    setLoaded((last) => (last.state === "ready" ? { ...last, busy: true } : { state: "loading" }));
    const timer = setTimeout(() => setLate(true), LATE_MS);
    const done = () => {
      clearTimeout(timer);
      setLate(false);
    };
    run((endpoint, asked) => call(endpoint, asked, signal))
      .then(
        (value) => signal.aborted || setLoaded({ ...READY, value, at: now(), of: key }),
        (thrown) => signal.aborted || setLoaded((last) => failed(last, key, AppError.from(thrown))),
      )
      .then(() => signal.aborted || done());
    return () => {
      done();
      asking.abort();
    };
  }, [key, turn]);

  useEffect(() => {
    const again = () => setTurn((count) => count + 1);
    const names = still ? ["changed"] : ["changed", "changed-elsewhere"];
    for (const name of names) events.addEventListener(name, again);
    return () => {
      for (const name of names) events.removeEventListener(name, again);
    };
  }, [still]);

  return { ...loaded, late, reload };
}

const READY = { state: "ready", busy: false, error: undefined } as const;

/** What belongs to another key is no answer to this one. */
const failed = <T>(last: Loaded<T>, key: string, error: AppError): Loaded<T> =>
  last.state === "ready" && last.of === key
    ? { ...last, busy: false, error }
    : { state: "error", error };

export interface Action<Given extends unknown[]> {
  busy: boolean;
  error: AppError | undefined;
  run: (...given: Given) => Promise<void>;
}

/** Something a person sets off: busy while it runs, and what went wrong afterwards. */
export function useAction<Given extends unknown[]>(
  act: (...given: Given) => Promise<unknown>,
): Action<Given> {
  const [{ busy, error }, set] = useState<{ busy: boolean; error: AppError | undefined }>({
    busy: false,
    error: undefined,
  });
  const focused = useRef<Element>(null);
  useEffect(() => {
    // What is disabled while it is busy has lost the focus: the keyboard goes on where it was.
    const { current } = focused;
    if (busy || !(current instanceof HTMLElement)) return;
    if (document.activeElement === document.body) current.focus();
    focused.current = null;
  }, [busy]);
  return {
    busy,
    error,
    run: async (...given) => {
      focused.current = document.activeElement;
      set({ busy: true, error: undefined });
      try {
        await act(...given);
        set({ busy: false, error: undefined });
      } catch (thrown) {
        set({ busy: false, error: AppError.from(thrown) });
      }
    },
  };
}
