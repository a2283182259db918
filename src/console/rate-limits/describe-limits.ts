/** Describes rate limits in text: "each address 100 requests in 1m". */
import type { PluginEntry } from "../../contract/gateway/gateways.ts";
import type { LimitType } from "../../contract/gateway/limits.ts";

/** Name of the plugin in `required_plugins`. */
export const RATE_LIMITER = "rate_limiter";

export const LIMIT_LABELS: Record<LimitType, string> = {
  per_fingerprint: "Fingerprint",
  per_ip: "Address",
  per_user: "User",
  global: "All traffic",
};

const SUBJECTS: Record<LimitType, string> = {
  per_fingerprint: "each client",
  per_ip: "each address",
  per_user: "each user",
  global: "all together",
};

/** Returns undefined if no entry is enabled. */
export function describeLimits(entries: readonly PluginEntry[]): string | undefined {
  const enabled = entries
    .filter((entry) => entry.name === RATE_LIMITER && entry.enabled)
    .sort((one, other) => one.priority - other.priority);
  return enabled.length > 0 ? `In force: ${enabled.map(describeEntry).join("; ")}.` : undefined;
}

/** Describes the limits of one rate_limiter entry. */
export function describeEntry({ settings }: PluginEntry): string {
  // The server validated it against the plugin's schema.
  const limits = settings.limits as Partial<Record<LimitType, Limit>>;
  const parts = TYPES.flatMap((type) => {
    const limit = limits[type];
    if (!limit) return [];
    const requests = limit.limit === 1 ? "1 request" : `${limit.limit} requests`;
    return [`${SUBJECTS[type]} ${requests} in ${limit.window}`];
  });
  return parts.join("; ");
}

interface Limit {
  limit: number;
  window: string;
}

const TYPES = Object.keys(SUBJECTS) as LimitType[];
