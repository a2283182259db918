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

export async function readBody({ settings }: Deps, request: Request): Promise<Body> {
  const cap = settings.GUARD_BODY_MIB * MIB;
  const tooLarge = () =>
    new AppError("too_large", `The body is larger than the ${cap} bytes allowed here.`);
  const declared = Number(request.headers.get("content-length") ?? Number.NaN);
  if (declared > cap) throw tooLarge();
  const held = heldBytes(settings);
  const holding = Number.isFinite(declared) ? declared : cap;
  if (!held.take(holding)) {
    // Never a 503: half of the clients take that for a refusal to serve them at all.
    throw new AppError("overloaded", undefined, { details: { retry_after: "1" } });
  }
  try {
    const slow = () => new AppError("request_timeout");
    const wait = settings.UPLOAD_IDLE_TIMEOUT_S * 1000;
    const bytes = await within(bytesOf(request, cap, tooLarge), wait, slow);
    return { bytes, [Symbol.dispose]: () => held.give(holding) };
  } catch (thrown) {
    held.give(holding);
    throw thrown;
  }
}

async function bytesOf(
  request: Request,
  cap: number,
  tooLarge: () => AppError,
): Promise<Uint8Array> {
  // A declared length was checked, and no client can send more than it declared.
  if (request.headers.has("content-length")) return await request.bytes();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > cap) throw tooLarge();
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
