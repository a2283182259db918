/** Waits for the head of an answer: gives up when it does not come in time, or when the caller leaves. */
import { AppError } from "../contract/errors.ts";
import { asUpstreamError } from "./upstream-error.ts";

export interface HeadWait {
  /** Also ends an answer that is still streaming when the caller leaves. */
  signal: AbortSignal;
  /** The request is out: from now on the time counts. */
  begin: () => void;
  /** The answer began, or the call failed. */
  end: (failed: boolean) => void;
}

export function headWait(caller: AbortSignal | undefined, mostMs: number): HeadWait {
  const cancel = new AbortController();
  const onAbort = () => cancel.abort(asUpstreamError(caller?.reason));
  caller?.addEventListener("abort", onAbort, { once: true });
  let timer: Timer | undefined;
  let ended = false;
  return {
    signal: cancel.signal,
    begin() {
      if (ended) return; // the upstream answered before it had the whole body
      timer = setTimeout(() => cancel.abort(new AppError("upstream_timeout")), mostMs);
    },
    end(failed) {
      ended = true;
      clearTimeout(timer);
      if (failed) caller?.removeEventListener("abort", onAbort);
    },
  };
}
