/** Wire shape of the inline guard: what it evaluates, and what happens to requests that need approval. */
import { z } from "zod";
import { Id } from "../shapes.ts";

const Directions = z.strictObject({
  input: z.boolean().describe("Evaluate what the client sends. Default: true.").default(true),
  output: z.boolean().describe("Evaluate what the client receives. Default: true.").default(true),
});

export const GuardSettings = z.strictObject({
  collector_id: Id.nullable()
    .describe("Collector whose policy evaluates the traffic. null: nothing is evaluated.")
    .default(null),
  llm: Directions.describe("Requests to models and their responses.").prefault({}),
  mcp: Directions.describe(
    "MCP traffic. `input`: tool calls. `output`: their results, and tool definitions.",
  ).prefault({}),
  on_ask: z
    .enum(["block", "wait", "allow"])
    .describe(
      "Requests that need approval. `block` (default): rejected until approved. `wait`: held for up to `wait_s` seconds. `allow`: passed and reported.",
    )
    .default("block"),
  wait_s: z
    .int()
    .min(1)
    .max(300)
    .describe("Seconds to wait for a decision, with `on_ask: wait`. Default: 30.")
    .default(30),
  stream: z
    .enum(["exact", "observe"])
    .describe(
      "Streamed responses. `exact` (default): text is held back until it is evaluated. `observe`: text passes at once, and a copy is evaluated.",
    )
    .default("exact"),
});
export type GuardSettings = z.infer<typeof GuardSettings>;

const { shape } = GuardSettings;
const DirectionsPatch = z.strictObject({
  input: Directions.shape.input.unwrap().exactOptional(),
  output: Directions.shape.output.unwrap().exactOptional(),
});

/** Without defaults: an update keeps the members that it leaves out. */
export const GuardPatch = z.strictObject({
  collector_id: shape.collector_id.unwrap().exactOptional(),
  llm: DirectionsPatch.describe(shape.llm.unwrap().description ?? "").exactOptional(),
  mcp: DirectionsPatch.describe(shape.mcp.unwrap().description ?? "").exactOptional(),
  on_ask: shape.on_ask.unwrap().exactOptional(),
  wait_s: shape.wait_s.unwrap().exactOptional(),
  stream: shape.stream.unwrap().exactOptional(),
});
export type GuardPatch = z.infer<typeof GuardPatch>;

const DEFAULTS = GuardSettings.parse({});

/** Returns the defaults, changed by each patch in order. */
export function completeGuard(...patches: readonly (GuardPatch | undefined)[]): GuardSettings {
  let settings = DEFAULTS;
  for (const patch of patches) {
    const llm = { ...settings.llm, ...patch?.llm };
    const mcp = { ...settings.mcp, ...patch?.mcp };
    settings = { ...settings, ...patch, llm, mcp };
  }
  return settings;
}

export const GuardOff = z.strictObject({ off: z.literal(true) });

export const ConsumerGuard = z.union([GuardSettings, GuardOff]).nullable();
export type ConsumerGuard = z.infer<typeof ConsumerGuard>;

/** Returns whether a consumer has a guard of its own: it neither inherits one nor is exempt. */
export const isOwnGuard = (guard: ConsumerGuard): guard is GuardSettings =>
  guard !== null && !("off" in guard);

/** One object instead of a union, so that an error names the member that is invalid. */
export const ConsumerGuardPatch = GuardPatch.extend({
  off: GuardOff.shape.off
    .exactOptional()
    .describe("Exempts the consumer from the gateway's guard. Must be the only member."),
})
  .refine(({ off, ...others }) => !off || Object.keys(others).length === 0, {
    path: ["off"],
    message: "must be the only member",
  })
  .nullable();
export type ConsumerGuardPatch = z.infer<typeof ConsumerGuardPatch>;
