/** Does an install count right now? Computed at every look, so that it is never stale. */
import type { AccessLevel } from "../../contract/store-access.ts";
import type { Install } from "../../contract/store-installs.ts";
import { isExpired } from "../../lib/time/duration.ts";

export type InstallState = Pick<Install, "state" | "suspended_because">;

export function computeInstallState(
  install: { ends_at: string | null },
  now: {
    at: Date;
    level: AccessLevel;
    instance_enabled: boolean;
    in_catalog: boolean;
    /** An administrator must confirm its authorization server first. */
    server_changed?: boolean;
  },
): InstallState {
  if (!now.in_catalog) return suspended("not_in_catalog");
  if (now.level === "none") return suspended("access");
  if (!now.instance_enabled) return suspended("instance_disabled");
  if (now.server_changed) return suspended("authorization_server_changed");
  // An approval that ended matters only to those who need one.
  if (now.level !== "install" && isExpired(install.ends_at, now.at))
    return suspended("grant_ended");
  return { state: "active", suspended_because: null };
}

const suspended = (because: NonNullable<InstallState["suspended_because"]>): InstallState => ({
  state: "suspended",
  suspended_because: because,
});
