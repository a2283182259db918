/** Computes the state of an install on every read, so that it is never stale. */
import type { AccessLevel } from "../../contract/store/access.ts";
import type { Install } from "../../contract/store/installs.ts";
import { isExpired } from "../../lib/time/duration.ts";

export type InstallState = Pick<Install, "state" | "suspended_because">;

export function computeInstallState(
  install: { ends_at: string | null },
  now: {
    at: Date;
    level: AccessLevel;
    instance_enabled: boolean;
    in_catalog: boolean;
    /** The authorization server has changed, and an administrator must confirm it. */
    server_changed?: boolean;
  },
): InstallState {
  if (!now.in_catalog) return suspend("not_in_catalog");
  if (now.level === "none") return suspend("access");
  if (!now.instance_enabled) return suspend("instance_disabled");
  if (now.server_changed) return suspend("authorization_server_changed");
  // An expired approval matters only at a level that requires one.
  if (now.level !== "install" && isExpired(install.ends_at, now.at)) return suspend("grant_ended");
  return { state: "active", suspended_because: null };
}

const suspend = (because: NonNullable<InstallState["suspended_because"]>): InstallState => ({
  state: "suspended",
  suspended_because: because,
});
