/** Rejects a change that lets the program reach private addresses or use the machine's identity, unless an owner of all gateways makes it. */
import { AppError } from "../contract/errors.ts";
import type { Deps } from "../deps.ts";
import { type Actor, isOwner } from "../route.ts";

/** Destination of the requests that a resource sends. */
export interface Reach {
  allow_private: boolean;
  /** Requests carry the credentials of the machine. */
  machine_identity?: boolean;
  /** All members that determine the address, without secrets. */
  target: unknown;
}

/** Any administrator may change the other members of a resource that an owner gave access. */
export function checkAllowPrivate(
  { settings }: Pick<Deps, "settings">,
  actor: Actor,
  next: Reach,
  before?: Reach,
): void {
  if (next.allow_private && !settings.ALLOW_PRIVATE_UPSTREAMS) {
    const text = "allow_private: must be false, because ALLOW_PRIVATE_UPSTREAMS is false";
    throw new AppError("validation_failed", text);
  }
  if (isOwner(actor)) return;
  const isSameTarget = before !== undefined && Bun.deepEquals(before.target, next.target);
  if (next.allow_private && !(before?.allow_private && isSameTarget)) {
    throw new AppError(
      "forbidden",
      "allow_private: only an owner of all gateways may set it, or change an address that it applies to.",
    );
  }
  // Another address would receive the credentials of the machine.
  if (next.machine_identity && !isSameTarget) {
    throw new AppError(
      "forbidden",
      "auth.source: only an owner of all gateways may use the identity of the machine, or change an address that it applies to.",
    );
  }
}
