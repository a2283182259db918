/** Rejects a change that lets the program reach private addresses, unless an owner makes it. */
import { AppError } from "../contract/errors.ts";
import type { Deps } from "../deps.ts";
import type { Actor } from "../route.ts";

/** Destination of the requests that a resource sends. */
export interface Reach {
  allow_private: boolean;
  /** All members that determine the address, without secrets. */
  target: unknown;
}

/** Any administrator may change the other members of a resource that an owner gave access. */
export function checkAllowPrivate(
  { settings }: Pick<Deps, "settings">,
  { role }: Actor,
  next: Reach,
  before?: Reach,
): void {
  if (!next.allow_private) return;
  if (!settings.ALLOW_PRIVATE_UPSTREAMS) {
    const text = "allow_private: must be false, because ALLOW_PRIVATE_UPSTREAMS is false";
    throw new AppError("validation_failed", text);
  }
  if (role === "owner") return;
  if (before?.allow_private && Bun.deepEquals(before.target, next.target)) return;
  throw new AppError(
    "forbidden",
    "allow_private: only an owner may set it, or change an address that it applies to.",
  );
}
