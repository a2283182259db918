/** Reads the body of an evaluation: capped, and counted against what may be in flight. */
import { AppError } from "../contract/errors.ts";
import type { Deps } from "../deps.ts";
import { bodyLimits, readBody } from "../read-body.ts";

export interface BufferedBody {
  bytes: Uint8Array;
  /** Says that the evaluation is over. */
  [Symbol.dispose]: () => void;
}

const MIB = 1024 * 1024;

/** Counts bytes as they arrive: a length that is only announced takes nothing from others. */
export async function receiveBody(deps: Deps, request: Request): Promise<BufferedBody> {
  const { heldBytes } = deps;
  let taken = 0;
  const release = () => heldBytes.release(taken);
  try {
    const limits = bodyLimits(deps, deps.settings.GUARD_BODY_MIB * MIB);
    const bytes = await readBody(request, limits, (count) => {
      // Never a 503: half of the clients take that for a refusal to serve them at all.
      if (!heldBytes.reserve(count)) {
        throw new AppError("overloaded", undefined, { details: { retry_after: "1" } });
      }
      taken += count;
    });
    return { bytes, [Symbol.dispose]: release };
  } catch (thrown) {
    release();
    throw thrown;
  }
}
