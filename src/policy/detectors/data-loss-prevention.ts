/** Data loss prevention: finds personal data and credentials, and says how each is masked. */
import { z } from "zod";
import { findPatternError } from "../../lib/linear-regex/compile-pattern.ts";
import { detector, textByText } from "../detector.ts";
import { customRule } from "../dlp/custom-rules.ts";
import { ENTITY_NAMES, type EntityName, USUAL_ENTITIES } from "../dlp/entities.ts";
import {
  type Choice,
  DEFAULT_CONFIDENCE,
  entityMatches,
  usualMasking,
} from "../dlp/entity-matches.ts";
import { LINE_BREAK } from "../dlp/lines-of.ts";
import { withoutOverlaps } from "../dlp/without-overlaps.ts";
import { isRepeatable, MaskWith, NOT_REPEATABLE, PreserveLen } from "../mask-settings.ts";
import type { Masking } from "../mask-text.ts";
import type { Segment } from "../segment.ts";
import { folded } from "../views.ts";

const PredefinedEntity = z
  .strictObject({
    entity: z.enum(ENTITY_NAMES).describe("The kind of value."),
    enabled: z.boolean().default(true).describe("Whether it is looked for."),
    mask_with: MaskWith.optional().describe(
      "What is written in its place. Left out: `[MASKED_…]`, or `*` with `preserve_len`.",
    ),
    preserve_len: PreserveLen,
  })
  .refine(isRepeatable, NOT_REPEATABLE);

const Rule = z
  .strictObject({
    name: z.string().min(1).max(64).describe("Told in findings, in place of the match."),
    type: z
      .enum(["keyword", "regex"])
      .describe("`keyword` is a whole word or phrase in any case, `regex` a pattern."),
    pattern: z
      .string()
      .min(1)
      .max(1024)
      .describe("The words, or the pattern in the syntax that runs in linear time."),
    mask_with: MaskWith.optional().describe(
      "What is written in its place. Left out: `***`, or `*` with `preserve_len`.",
    ),
    preserve_len: PreserveLen,
  })
  .refine(isRepeatable, NOT_REPEATABLE)
  .superRefine(({ type, pattern }, context) => {
    const wrong = type === "regex" ? findPatternError(pattern) : keywordRefusal(pattern);
    if (wrong) context.addIssue({ code: "custom", path: ["pattern"], message: wrong });
  });

const Settings = z.strictObject({
  apply_all: z
    .boolean()
    .optional()
    .describe(
      "true: every entity but those that `predefined_entities` disable. false: only those they enable. Left out: those they enable, or, where they enable none, all but the ones that are ordinary in technical text (IP and MAC addresses, UUIDs, ISINs).",
    ),
  predefined_entities: z
    .array(PredefinedEntity)
    .max(ENTITY_NAMES.length)
    .default([])
    .describe("Which entities are looked for, and how each is masked."),
  rules: z
    .array(Rule)
    .max(200)
    .default([])
    .describe("Your own words and patterns, besides the entities."),
  min_confidence: z
    .number()
    .min(0)
    .max(1)
    .default(DEFAULT_CONFIDENCE)
    .describe(
      "Entities below it are not reported. Under 0.5 are numbers that pass a check digit with nothing around them to say what they are.",
    ),
  allow_list: z
    .array(z.string().min(1).max(256))
    .max(1000)
    .default([])
    .describe("Values that are never reported, such as your own support address, in any case."),
  reversible: z
    .boolean()
    .default(false)
    .describe(
      "Mask by a name of the session (`<EMAIL_…>`) that an output evaluation can turn back into the value, in place of `mask_with`.",
    ),
});

export const dataLossPrevention = detector({
  kind: "data_loss_prevention",
  title: "Data loss prevention",
  summary: "Finds personal data and credentials in text and tool calls, and can mask them.",
  reads: {
    input: ["user", "assistant", "system", "tool_definition", "tool_arguments", "tool_result"],
    output: ["assistant", "tool_definition", "tool_arguments", "tool_result"],
  },
  masks: true,
  numbers: true,
  settings: Settings,
  prepare: (settings) => {
    const choice = choose(settings);
    const custom = settings.rules.map((rule) => customRule({ ...rule, ...masking(rule, "***") }));
    const allowed = new Set(settings.allow_list.map((value) => value.toLowerCase()));

    const inText = (of: Segment) => {
      const own = custom.flatMap((find) => find(of, settings.reversible));
      const found = [...entityMatches(of, choice), ...own];
      if (found.length === 0) return found;
      // What is allowed still claims its characters: no lesser match inside it is reported instead.
      return withoutOverlaps(found).filter(
        ({ at: { start, end } }) =>
          allowed.size === 0 || !allowed.has(of.text.slice(start, end).toLowerCase()),
      );
    };
    return textByText(inText);
  },
});

function choose(settings: z.output<typeof Settings>): Choice {
  const { apply_all, predefined_entities } = settings;
  const named = new Map(predefined_entities.map((entry) => [entry.entity, entry]));
  const enabled = predefined_entities.filter((entry) => entry.enabled).map(({ entity }) => entity);
  const from: readonly EntityName[] =
    apply_all === true
      ? ENTITY_NAMES
      : apply_all === false || enabled.length > 0
        ? enabled
        : USUAL_ENTITIES;
  const masks = new Map<EntityName, Masking>();
  for (const entity of from) {
    const entry = named.get(entity);
    if (entry?.enabled === false) continue;
    const usual = usualMasking(entity);
    masks.set(entity, entry ? masking(entry, usual.mask_with) : usual);
  }
  return { masks, min_confidence: settings.min_confidence, reversible: settings.reversible };
}

const masking = (
  { mask_with, preserve_len }: { mask_with?: string | undefined; preserve_len: boolean },
  otherwise: string,
): Masking => ({ mask_with: mask_with ?? (preserve_len ? "*" : otherwise), preserve_len });

const keywordRefusal = (pattern: string) =>
  folded(pattern).text.trim() === "" || LINE_BREAK.test(pattern)
    ? "must hold a word that can be seen, and no line break: matches end with their line"
    : undefined;
