/** Runs an action of the user: busy while it runs, and its error afterwards. */
import { useEffect, useRef, useState } from "react";
import { AppError } from "../contract/errors.ts";

export interface ActionState<Args extends unknown[]> {
  busy: boolean;
  error: AppError | undefined;
  run: (...args: Args) => Promise<void>;
  clearError: () => void;
}

const IDLE: { busy: boolean; error: AppError | undefined } = { busy: false, error: undefined };

export function useAction<Args extends unknown[]>(
  act: (...args: Args) => Promise<unknown>,
): ActionState<Args> {
  const [{ busy, error }, setState] = useState(IDLE);
  const focused = useRef<Element>(null);
  useEffect(() => {
    // A button that was disabled while busy has lost the focus: give it back.
    const { current } = focused;
    if (busy || !(current instanceof HTMLElement)) return;
    if (document.activeElement === document.body) current.focus();
    focused.current = null;
  }, [busy]);
  return {
    busy,
    error,
    clearError: () => setState(IDLE),
    run: async (...args) => {
      focused.current = document.activeElement;
      setState({ busy: true, error: undefined });
      try {
        await act(...args);
        setState(IDLE);
      } catch (thrown) {
        setState({ busy: false, error: AppError.from(thrown) });
      }
    },
  };
}
