/** Schema of `cache_control`, which is the same in every dialect that has it. */
import { z } from "zod";
import { droppedMembers } from "./dropped-members.ts";
import type { CacheControl } from "./neutral.ts";

/** Members that are accepted and dropped. `scope` limits which requests share the entry; Claude Code sends it. */
export const CACHE_CONTROL_DROPPED = ["scope"] as const;

export const CacheControlMember = z
  .strictObject({
    type: z.literal("ephemeral"),
    ttl: z.enum(["5m", "1h"]).nullish(),
    ...droppedMembers(CACHE_CONTROL_DROPPED),
  })
  .nullish()
  .transform((control): CacheControl | undefined => {
    if (!control) return undefined;
    return control.ttl ? { ttl: control.ttl } : {};
  });
