/** What a page knows of a call: it is on its way, it failed, or here is what came. */
import { useEffect, useEffectEvent, useState } from "react";
import { AppError } from "../contract/errors.ts";
import { now } from "../lib/clock.ts";
import { events } from "./api.ts";

export type Loaded<T> =
  | { state: "loading" }
  | { state: "error"; error: AppError }
  | { state: "ready"; value: T; busy: boolean; at: Date };

export type Load<T> = Loaded<T> & { reload: () => void };

/** Asks again when `key` changes and after every write; until then the last answer stays. */
export function useLoad<T>(key: string, load: () => Promise<T>): Load<T> {
  const [loaded, setLoaded] = useState<Loaded<T>>({ state: "loading" });
  const [turn, setTurn] = useState(0);
  const reload = () => setTurn((count) => count + 1);
  const run = useEffectEvent(load);

  // biome-ignore lint/correctness/useExhaustiveDependencies: key and turn say when to ask again
  useEffect(() => {
    let left = false;
    setLoaded((last) => (last.state === "ready" ? { ...last, busy: true } : { state: "loading" }));
    run().then(
      (value) => left || setLoaded({ state: "ready", value, busy: false, at: now() }),
      (thrown) => left || setLoaded({ state: "error", error: AppError.from(thrown) }),
    );
    return () => {
      left = true;
    };
  }, [key, turn]);

  useEffect(() => {
    const again = () => setTurn((count) => count + 1);
    events.addEventListener("changed", again);
    return () => events.removeEventListener("changed", again);
  }, []);

  return { ...loaded, reload };
}

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
  return {
    busy,
    error,
    run: async (...given) => {
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
