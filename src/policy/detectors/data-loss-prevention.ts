/** Data loss prevention: finds personal data and credentials, and says how each is masked. */
import { z } from "zod";
import { findPatternError } from "../../lib/linear-regex/compile-pattern.ts";
import { defineDetector, inspectEach } from "../detector.ts";
import { compileCustomRule } from "../dlp/compile-custom-rule.ts";
import { DEFAULT_ENTITIES, ENTITY_NAMES, type EntityName } from "../dlp/entities.ts";
import {
  DEFAULT_CONFIDENCE,
  defaultMaskStyle,
  type EntitySelection,
  findEntityMatches,
} from "../dlp/find-entity-matches.ts";
import { resolveOverlaps } from "../dlp/resolve-overlaps.ts";
import { LINE_BREAK } from "../dlp/split-by-line.ts";
import type { MaskStyle } from "../masking/render-mask.ts";
import type { Segment } from "../segment.ts";
import { isRepeatable, MaskWith, NOT_REPEATABLE_ISSUE, PreserveLen } from "../shared-settings.ts";
import { foldText } from "../views/view.ts";

const PredefinedEntity = z
  .strictObject({
    entity: z.enum(ENTITY_NAMES).describe("The kind of value."),
    enabled: z.boolean().default(true).describe("Whether it is looked for."),
    mask_with: MaskWith.optional().describe(
      "What is written in its place. Left out: `[MASKED_…]`, or `*` with `preserve_len`.",
    ),
    preserve_len: PreserveLen,
  })
  .refine(isRepeatable, NOT_REPEATABLE_ISSUE);

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
  .refine(isRepeatable, NOT_REPEATABLE_ISSUE)
  .superRefine(({ type, pattern }, context) => {
    const wrong = type === "regex" ? findPatternError(pattern) : validateKeyword(pattern);
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

export const dataLossPrevention = defineDetector({
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
    const choice = selectEntities(settings);
    const custom = settings.rules.map((rule) =>
      compileCustomRule({ ...rule, ...toMaskStyle(rule, "***") }),
    );
    const allowed = new Set(settings.allow_list.map((value) => value.toLowerCase()));

    const inText = (of: Segment) => {
      const own = custom.flatMap((find) => find(of, settings.reversible));
      const found = [...findEntityMatches(of, choice), ...own];
      if (found.length === 0) return found;
      // What is allowed still claims its characters: no lesser match inside it is reported instead.
      return resolveOverlaps(found).filter(
        ({ at: { start, end } }) =>
          allowed.size === 0 || !allowed.has(of.text.slice(start, end).toLowerCase()),
      );
    };
    return inspectEach(inText);
  },
});

function selectEntities(settings: z.output<typeof Settings>): EntitySelection {
  const { apply_all, predefined_entities } = settings;
  const named = new Map(predefined_entities.map((entry) => [entry.entity, entry]));
  const enabled = predefined_entities.filter((entry) => entry.enabled).map(({ entity }) => entity);
  const from: readonly EntityName[] =
    apply_all === true
      ? ENTITY_NAMES
      : apply_all === false || enabled.length > 0
        ? enabled
        : DEFAULT_ENTITIES;
  const masks = new Map<EntityName, MaskStyle>();
  for (const entity of from) {
    const entry = named.get(entity);
    if (entry?.enabled === false) continue;
    const usual = defaultMaskStyle(entity);
    masks.set(entity, entry ? toMaskStyle(entry, usual.mask_with) : usual);
  }
  return { masks, min_confidence: settings.min_confidence, reversible: settings.reversible };
}

const toMaskStyle = (
  { mask_with, preserve_len }: { mask_with?: string | undefined; preserve_len: boolean },
  otherwise: string,
): MaskStyle => ({ mask_with: mask_with ?? (preserve_len ? "*" : otherwise), preserve_len });

const validateKeyword = (pattern: string) =>
  foldText(pattern).text.trim() === "" || LINE_BREAK.test(pattern)
    ? "must hold a word that can be seen, and no line break: matches end with their line"
    : undefined;
