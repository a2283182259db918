/** Schema of `cache_control`, which is the same in every dialect that has it. */
import { z } from "zod";
import type { CacheControl } from "./neutral.ts";

export const CacheControlMember = z
  .strictObject({
    type: z.literal("ephemeral"),
    ttl: z.enum(["5m", "1h"]).nullish(),
    // Limits which requests share the cache entry; sent by Claude Code.
    scope: z.unknown().optional(),
  })
  .nullish()
  .transform((control): CacheControl | undefined => {
    if (!control) return undefined;
    return control.ttl ? { ttl: control.ttl } : {};
  });
