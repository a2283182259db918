/** Reads a request body: limited in size, and not slower than a sane client sends it. */
import { AppError } from "./contract/errors.ts";
import type { Deps } from "./deps.ts";
import { createSizeCap, type OnBytes, readAllChunks } from "./lib/streams/capped-body.ts";
import { elapsedMs } from "./lib/time/clock.ts";
import { withTimeout } from "./lib/time/with-timeout.ts";
import type { Settings } from "./settings.ts";

export interface BodyLimits {
  /** Bytes. */
  cap: number;
  /** Setting that contains the cap. */
  setting: BodySetting | undefined;
  /** UPLOAD_IDLE_TIMEOUT_S. */
  idle_ms: number;
  /** Undefined: a body that streams through may take as long as it keeps arriving. */
  total_ms?: number;
  /** Ends the wait at a shutdown. */
  deadline: AbortSignal;
}

export interface BodyCounter {
  /** Called with the declared length of a large body before a byte is read; throws to reject the body. */
  onLength?: OnBytes;
  /** Called for each chunk within the limits. */
  onBytes?: OnBytes;
}

export interface IncomingBody {
  /** As the client declared it. */
  length: number | undefined;
  /** Returns the next chunk; undefined at the end. */
  next: () => Promise<Uint8Array<ArrayBuffer> | undefined>;
}

const MIB = 1024 * 1024;
/** Rejects a body that trickles: this many bytes must arrive in each idle timeout. */
const MIN_BYTES = 1024;
/** A body that is held in memory must arrive within this many idle timeouts in total. */
const MAX_IDLE_TIMEOUTS = 5;
/** A body up to this size is read in one call, which is the fastest way, and within one idle timeout. */
const SMALL_BYTES = 256 * 1024;

/**
 * While a read waits, Bun passes on each chunk of the chunked encoding by itself: one of a byte takes 3 µs and 200
 * bytes. In another turn the bytes that arrive are joined.
 */
const CHUNKS_PER_TURN = 100;

type BodySetting = Extract<keyof Settings, `${string}_BODY_MIB`>;

/** `cap` is a number of bytes, or the setting that contains it. */
export const bodyLimits = (
  { settings, bodyDeadline }: Deps,
  cap: number | BodySetting,
): BodyLimits => ({
  cap: typeof cap === "number" ? cap : settings[cap] * MIB,
  setting: typeof cap === "number" ? undefined : cap,
  idle_ms: settings.UPLOAD_IDLE_TIMEOUT_S * 1000,
  deadline: bodyDeadline,
});

/** Returns the whole body. */
export function readBody(
  request: Request,
  limits: BodyLimits,
  { onLength, onBytes }: BodyCounter = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const length = declaredLength(request, limits);
  if (length !== undefined && length <= SMALL_BYTES) {
    onBytes?.(length);
    return withTimeout(request.bytes(), limits.idle_ms, tooSlow, limits.deadline);
  }
  if (length !== undefined) onLength?.(length);
  const total_ms = MAX_IDLE_TIMEOUTS * limits.idle_ms;
  return readAllChunks(openBody(request, { ...limits, total_ms }, onBytes).next);
}

/** Returns the body chunk by chunk. Only the time spent waiting for the client counts. */
export function openBody(request: Request, limits: BodyLimits, onBytes?: OnBytes): IncomingBody {
  const { cap, idle_ms, total_ms = Number.POSITIVE_INFINITY, deadline } = limits;
  const length = declaredLength(request, limits);
  const reader = request.body?.getReader();
  const countBytes = createSizeCap(cap, () => tooLarge(limits));
  let waited = 0;
  /** Since the last MIN_BYTES arrived. */
  let idle = 0;
  let fresh = 0;
  let chunks = 0;

  async function next() {
    if (!reader) return undefined;
    chunks += 1;
    if (chunks % CHUNKS_PER_TURN === 0) await new Promise(setImmediate);
    const left = Math.min(idle_ms - idle, total_ms - waited);
    if (left <= 0) throw tooSlow();
    const began = elapsedMs();
    const { done, value } = await withTimeout(reader.read(), left, tooSlow, deadline);
    if (done) return undefined;
    const took = elapsedMs() - began;
    waited += took;
    idle += took;
    fresh += value.length;
    if (fresh >= MIN_BYTES) idle = fresh = 0;
    countBytes(value.length);
    onBytes?.(value.length);
    return value;
  }
  return { length, next };
}

/** Rejects by the declared length before a byte is read. */
function declaredLength(request: Request, limits: BodyLimits): number | undefined {
  const header = request.headers.get("content-length");
  if (header === null) return undefined;
  const length = Number(header);
  if (length > limits.cap) throw tooLarge(limits);
  return length;
}

const tooSlow = (): AppError => new AppError("request_timeout");

function tooLarge({ cap, setting }: BodyLimits): AppError {
  const size = cap % MIB === 0 ? `${cap / MIB} MiB` : `${cap} bytes`;
  const advice = setting ? ` The setting ${setting} raises the limit.` : "";
  return new AppError("too_large", `The body is larger than the ${size} allowed here.${advice}`);
}
