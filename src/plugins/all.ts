/** Every plugin by its name. */
import type { Plugin } from "./plugin.ts";
import { rateLimiter } from "./rate-limiter.ts";

export const plugins: ReadonlyMap<string, Plugin> = new Map(
  [rateLimiter].map((plugin) => [plugin.name, plugin]),
);
