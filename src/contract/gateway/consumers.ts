/** Wire shapes of consumers: the slug in the path, and the routing of requests. */
import { z } from "zod";
import { matchesGlob } from "../../lib/text/glob.ts";
import { ConsumerGuard, ConsumerGuardPatch } from "../guard/guard-settings.ts";
import { resource } from "../resource.ts";
import { Id, Name, Slug, storedMembers, Text } from "../shapes.ts";

/** First path segments that the program itself uses: `/{consumer}/v1/…` is on the same host. */
export const RESERVED_SLUGS: readonly string[] = [
  "v1",
  "v0.1",
  "api",
  "console",
  "store",
  "me",
  "mcp",
  "oauth",
  "healthz",
  "readyz",
  "metrics",
  "openapi.json",
  "docs",
  ".well-known",
];

const ModelEntry = Text.min(1)
  .max(256)
  .refine((entry) => entry === entry.trim(), "must not begin or end with spaces")
  .refine(
    (entry) => !/^\*+$/.test(entry),
    "must not match every model: leave out `allowed` instead",
  );

const ModelName = ModelEntry.refine(
  (entry) => !entry.includes("*"),
  "must be one model, not a pattern",
);

const ModelNames = z
  .record(Text, Text.min(1).max(256))
  .refine((map) => Object.keys(map).length <= 500, "must have at most 500 entries")
  .superRefine((map, context) => {
    for (const [key, target] of Object.entries(map)) {
      const problem = findMapProblem(key, target);
      if (problem) context.addIssue({ code: "custom", path: [key], message: problem });
    }
  });

/** Rejects the key `__proto__`, which z.record drops. */
export const ModelMap = (z.unknown() as z.ZodType<z.input<typeof ModelNames>>)
  .refine((map) => !Object.hasOwn(Object(map), "__proto__"), {
    path: ["__proto__"],
    message: "cannot be the name of a model",
  })
  .pipe(ModelNames)
  .meta({
    type: "object",
    additionalProperties: { type: "string", minLength: 1, maxLength: 256 },
  });

function findMapProblem(key: string, target: string): string | undefined {
  if (key === "" || key.length > 256) return "the name must have 1 to 256 characters";
  if (key !== key.trim() || target !== target.trim()) return "must not begin or end with spaces";
  if (/\*./.test(key)) return "the name must not contain `*` before its end";
  if (/\*./.test(target)) return "must not contain `*` before its end";
  if (target.endsWith("*") && !key.endsWith("*")) {
    return "must not end with `*`, because the name does not";
  }
  return undefined;
}

export const ModelPolicy = z
  .strictObject({
    allowed: z
      .array(ModelEntry)
      .min(1)
      .max(500)
      .optional()
      .describe("Model names; `*` matches any characters. Left out: every model."),
    default: ModelName.optional().describe("Used if a request names no model."),
    map: ModelMap.optional().describe(
      "Names that the upstream receives, by the name that the client sends; `allowed` and `default` have names of clients. `*` at the end of a key matches the rest of a name, which replaces `*` at the end of its value.",
    ),
  })
  .refine(
    ({ allowed, default: fallback }) =>
      !allowed || !fallback || allowed.some((entry) => matchesModel(entry, fallback)),
    { path: ["default"], message: "must be one of `allowed`" },
  );
export type ModelPolicy = z.infer<typeof ModelPolicy>;

export const AttachedRegistry = z.strictObject({
  id: Id.describe("Id of a registry of the same gateway."),
  weight: z
    .int()
    .min(1)
    .max(100)
    .default(1)
    .describe("Share of the requests, relative to the other registries."),
  models: ModelPolicy.default({}).describe("Models that the consumer may use at this registry."),
});
export type AttachedRegistry = z.infer<typeof AttachedRegistry>;

export const ALGORITHMS = ["round_robin", "least_in_flight", "latency", "sticky"] as const;

export const Balancing = z.strictObject({
  algorithm: z
    .enum(ALGORITHMS)
    .default("round_robin")
    .describe(
      "`round_robin`: smooth, by weight. `least_in_flight`: fewest open requests relative to the weight. `latency`: the faster of two random registries. `sticky`: the same registry for the same user.",
    ),
});

export const Failover = z.strictObject({
  enabled: z.boolean().default(true).describe("false: a failed request is not sent again."),
  max_attempts: z
    .int()
    .min(1)
    .max(10)
    .default(3)
    .describe("Maximum attempts per request, over all registries."),
  max_total_ms: z
    .int()
    .min(100)
    .max(600_000)
    .default(60_000)
    .describe("Milliseconds after which no new attempt starts."),
  resend_billable: z
    .boolean()
    .default(false)
    .describe(
      "Send a POST again even if the upstream may have accepted it. It may be billed twice.",
    ),
});

/** Compared with the Origin header, so it must have the form that browsers send. */
const Origin = Text.max(256).refine(
  isOrigin,
  "must be an origin as browsers send it: scheme, host and, unless it is the default, port, such as https://app.example.com",
);

function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  // No browser sends a wildcard, so it would never match.
  return url !== null && /^https?:\/\/[^*]+$/.test(text) && url.origin === text;
}

export const Cors = z.strictObject({
  origins: z
    .array(Origin)
    .max(100)
    .default([])
    .describe(
      "Origins whose pages may call this consumer from a browser. Empty: no cross-origin calls.",
    ),
});

export const ConsumerInput = z.strictObject({
  name: Name,
  slug: Slug.refine((slug) => !RESERVED_SLUGS.includes(slug), "is reserved")
    .optional()
    .describe("First segment of the path. Unique in the installation. Generated if left out."),
  active: z.boolean().default(true).describe("false: requests return 404."),
  registries: z
    .array(AttachedRegistry)
    .max(100)
    .refine(
      (list) => new Set(list.map((entry) => entry.id)).size === list.length,
      "must not name a registry twice",
    )
    .default([])
    .describe("In order of preference."),
  balancing: Balancing.prefault({}).describe("Choice between registries."),
  failover: Failover.prefault({}).describe("Further attempts after a failure."),
  fallbacks: z
    .array(ModelName)
    .max(10)
    .default([])
    .describe(
      "Models to try after the requested one, in order, by the rules of `failover`. A pinned request does not fall back.",
    ),
  files_scope: z
    .enum(["shared", "own"])
    .default("shared")
    .describe(
      "Files, uploads, batches, stored responses and conversations that the consumer may use. `shared`: all of the upstream account. `own`: only those created through this consumer; any other one, in a path or in a request body, and every vector store return 404.",
    ),
  cors: Cors.prefault({}).describe("Calls from pages in a browser."),
  guard: ConsumerGuardPatch.default(null).describe(
    "Guard that replaces the gateway's. null: the gateway's guard.",
  ),
});
export type ConsumerInput = z.infer<typeof ConsumerInput>;

export const Consumer = z.object({
  ...ConsumerInput.shape,
  slug: Slug,
  guard: ConsumerGuard,
  gateway_id: Id,
  ...storedMembers,
});
export type Consumer = z.infer<typeof Consumer>;

export const consumers = resource({
  noun: "consumer",
  plural: "consumers",
  path: "/v1/gateways/:gateway_id/consumers",
  id: "consumer_id",
  input: ConsumerInput,
  reply: Consumer,
});

/** Returns whether an allow-list entry is a model, or a pattern that matches it. */
export const matchesModel = (entry: string, model: string): boolean =>
  entry === model || (namesOneModel(model) && matchesGlob(entry, model));

/**
 * Returns false for names that no pattern of an allow-list matches. Upstreams normalize other characters than those of
 * {@link NAME_CHARACTERS} to a path, a list or another name: LiteLLM calls every model of `a,b`, and `%2e`, a tab or a
 * full-width dot may become part of `..`. An OpenRouter preset or a LiteLLM prompt can select any model.
 */
export const namesOneModel = (model: string): boolean =>
  ORDINARY_NAME.test(model) && !/\.\.|@(?:preset|prompt_id)\//i.test(model);

/** The characters that providers use in names of models, as a pattern and in words. */
const ORDINARY_NAME = /^[\p{L}\p{Nd} ._:/@+~()[\]-]*$/u;
export const NAME_CHARACTERS = "letters, digits, spaces and . _ : / @ + ~ ( ) [ ] -";
