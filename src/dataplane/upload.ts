/** Takes the client's body piece by piece, within its cap and not slower than a sane client sends. */
import { AppError } from "../contract/errors.ts";
import type { Deps } from "../deps.ts";
import { elapsedMs } from "../lib/clock.ts";
import { within } from "../lib/within.ts";
import { liveState } from "./live-state.ts";
import type { DataEndpoint } from "./match-endpoint.ts";
import type { Known } from "./stages.ts";

export interface Upload {
  /** As the client declared it. */
  length: number | undefined;
  /** The next piece; undefined at the end. */
  next: () => Promise<Uint8Array<ArrayBuffer> | undefined>;
}

export interface UploadLimits {
  cap: number;
  idle_ms: number;
  deadline: AbortSignal;
}

export function uploadLimits(
  { settings, bodyDeadline }: Deps,
  cap: DataEndpoint["form_cap"],
): UploadLimits {
  return {
    cap: settings[cap] * 1024 * 1024,
    idle_ms: settings.UPLOAD_IDLE_TIMEOUT_S * 1000,
    deadline: bodyDeadline,
  };
}

/** A body that trickles byte by byte would never be idle: this many must come in the time allowed. */
const LEAST_BYTES = 1024;

export function openUpload(
  { request, run }: Known,
  { cap, idle_ms, deadline }: UploadLimits,
): Upload {
  const length = declaredLength(request, cap);
  const reader = request.body?.getReader();
  // Only the time we wait for the client counts, not the time an upstream makes us wait.
  let waited = 0;
  let fresh = 0;

  async function next() {
    if (!reader) return undefined;
    // A byte that always comes in time does not begin the time anew.
    if (waited >= idle_ms) throw tooSlow();
    const began = elapsedMs();
    const { done, value } = await within(reader.read(), idle_ms - waited, tooSlow, deadline);
    if (done) return undefined;
    waited += elapsedMs() - began;
    fresh += value.length;
    if (fresh >= LEAST_BYTES) waited = fresh = 0;
    run.request_bytes += value.length;
    if (run.request_bytes > cap) throw tooLarge(cap);
    return value;
  }
  return { length, next };
}

/** Refuses by the declared length before a byte is read. */
export function declaredLength(request: Request, cap: number): number | undefined {
  const header = request.headers.get("content-length");
  if (header === null) return undefined;
  const length = Number(header);
  if (length > cap) throw tooLarge(cap);
  return length;
}

/** Takes from the budget of all requests; what was taken comes back when this one is over. */
export function holding(deps: Deps, { run }: Known): (bytes: number) => void {
  const { held } = liveState(deps);
  let taken = 0;
  run.releases.push(() => held.give(taken));
  return (bytes) => {
    if (!held.take(bytes)) throw new AppError("overloaded", undefined, RETRY_SOON);
    taken += bytes;
  };
}

const RETRY_SOON = { details: { retry_after: "1" } };

export const tooSlow = (): AppError => new AppError("request_timeout");

const tooLarge = (cap: number): AppError =>
  new AppError("too_large", `The body is larger than the ${cap / 1024 / 1024} MiB allowed here.`);
