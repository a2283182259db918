/** Reads the body of an evaluation: capped, and counted against what may be in flight. */
import { AppError } from "../contract/errors.ts";
import type { Deps } from "../deps.ts";
import { type ByteBudget, createByteBudget } from "../lib/byte-budget.ts";
import { within } from "../lib/within.ts";
import type { Settings } from "../settings.ts";

export interface Body {
  bytes: Uint8Array;
  /** Says that the evaluation is over. */
  [Symbol.dispose]: () => void;
}

const MIB = 1024 * 1024;

export async function readBody({ settings, bodyDeadline }: Deps, request: Request): Promise<Body> {
  const cap = settings.GUARD_BODY_MIB * MIB;
  const length = request.headers.get("content-length");
  const declared = length === null ? Number.NaN : Number(length);
  if (declared > cap) throw tooLarge(cap);
  const held = heldBytes(settings);
  const holding = Number.isFinite(declared) ? declared : cap;
  if (!held.take(holding)) {
    // Never a 503: half of the clients take that for a refusal to serve them at all.
    throw new AppError("overloaded", undefined, { details: { retry_after: "1" } });
  }
  try {
    // A declared length was checked, and no client can send more than it declared.
    const reading = length === null ? gathered(request, cap) : request.bytes();
    const idle_ms = settings.UPLOAD_IDLE_TIMEOUT_S * 1000;
    const bytes = await within(reading, idle_ms, tooSlow, bodyDeadline);
    return { bytes, [Symbol.dispose]: () => held.give(holding) };
  } catch (thrown) {
    held.give(holding);
    throw thrown;
  }
}

const tooSlow = () => new AppError("request_timeout");
const tooLarge = (cap: number) =>
  new AppError("too_large", `The body is larger than the ${cap} bytes allowed here.`);

async function gathered(request: Request, cap: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > cap) throw tooLarge(cap);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** One for each running program: its settings object is what a copy of `deps` still shares. */
const budgets = new WeakMap<Settings, ByteBudget>();

function heldBytes(settings: Settings): ByteBudget {
  const known = budgets.get(settings);
  if (known) return known;
  const fresh = createByteBudget(settings.IN_FLIGHT_MIB * MIB);
  budgets.set(settings, fresh);
  return fresh;
}
