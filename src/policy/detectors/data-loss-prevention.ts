/** Detector of personal data and credentials, with a mask for each. */
import { z } from "zod";
import { findPatternError } from "../../lib/linear-regex/compile-pattern.ts";
import {
  defineDetector,
  type InspectionContext,
  type Inspector,
  type PartialInspection,
} from "../detector.ts";
import { compileCustomRule } from "../dlp/compile-custom-rule.ts";
import {
  DEFAULT_CONFIDENCE,
  DEFAULT_ENTITIES,
  ENTITY_NAMES,
  type EntityName,
  isNameEntity,
} from "../dlp/entities.ts";
import { findEntitiesInSteps } from "../dlp/find-entities.ts";
import {
  defaultMaskStyle,
  type EntitySelection,
  findEntityMatches,
} from "../dlp/find-entity-matches.ts";
import { findOpenValue, VALUE_CONTEXT } from "../dlp/find-open-value.ts";
import { keepTableContext } from "../dlp/keep-table-context.ts";
import { type LocatedMatch, resolveOverlaps, toSpans } from "../dlp/resolve-overlaps.ts";
import { LINE_BREAK } from "../dlp/split-by-line.ts";
import { inspectMessages } from "../inspect-messages.ts";
import type { MaskStyle } from "../masking/render-mask.ts";
import type { NameFinder } from "../names/name-finder.ts";
import { NAME_CONTEXT } from "../names/name-model.ts";
import { findOpenSecret } from "../secrets/find-open-secret.ts";
import { computeOnce, type Segment } from "../segment.ts";
import { isRepeatable, MaskWith, NOT_REPEATABLE_ISSUE, PreserveLen } from "../setting-schemas.ts";
import { findOpenInViews } from "../views/find-open-in-views.ts";
import { foldText } from "../views/view.ts";

const PredefinedEntity = z
  .strictObject({
    entity: z.enum(ENTITY_NAMES).describe("Kind of value."),
    enabled: z.boolean().default(true).describe("Whether this kind is detected."),
    mask_with: MaskWith.optional().describe(
      "Replacement text. Default: `[MASKED_…]`, or `*` with `preserve_len`.",
    ),
    preserve_len: PreserveLen,
  })
  .refine(isRepeatable, NOT_REPEATABLE_ISSUE);

const Rule = z
  .strictObject({
    name: z.string().min(1).max(64).describe("Label of the match in findings."),
    type: z
      .enum(["keyword", "regex"])
      .describe(
        "`keyword`: a whole word or phrase, case-insensitive. `regex`: a regular expression.",
      ),
    pattern: z
      .string()
      .min(1)
      .max(1024)
      .describe(
        "The keyword, or the regular expression in linear-time syntax (no look-around, no back-references).",
      ),
    mask_with: MaskWith.optional().describe(
      "Replacement text. Default: `***`, or `*` with `preserve_len`.",
    ),
    preserve_len: PreserveLen,
  })
  .refine(isRepeatable, NOT_REPEATABLE_ISSUE)
  .superRefine(({ type, pattern }, context) => {
    const message = type === "regex" ? findPatternError(pattern) : validateKeyword(pattern);
    if (message) context.addIssue({ code: "custom", path: ["pattern"], message });
  });

const Settings = z.strictObject({
  apply_all: z
    .boolean()
    .optional()
    .describe(
      "true: all entities except those disabled in `predefined_entities`. false: only those enabled there. Default: those enabled there or, if none is, all entities except those common in technical text (IP and MAC addresses, UUIDs, ISINs). Names of persons, places and organizations (`person_name`, `location`, `organization`) are detected only if they are enabled there.",
    ),
  predefined_entities: z
    .array(PredefinedEntity)
    .max(ENTITY_NAMES.length)
    .default([])
    .describe("Entities to detect, and their masks."),
  rules: z
    .array(Rule)
    .max(200)
    .default([])
    .describe("Custom keywords and regular expressions, in addition to the entities.")
    .meta({ title: "Your own words and patterns" }),
  min_confidence: z
    .number()
    .min(0)
    .max(1)
    .default(DEFAULT_CONFIDENCE)
    .describe(
      "Minimum confidence of an entity. Below 0.5 are numbers that pass a check digit without a word that names them, and numbers in log lines, paths and columns of identifiers.",
    )
    .meta({ title: "Minimum confidence" }),
  allow_list: z
    .array(z.string().min(1).max(256))
    .max(1000)
    .default([])
    .describe("Values that are never reported, such as your support address. Case-insensitive.")
    .meta({ title: "Values that are never reported" }),
  reversible: z
    .boolean()
    .default(false)
    .describe(
      "Mask with a pseudonym of the session (`<EMAIL_…>`) instead of `mask_with`. The restore_masks detector can restore the value in the output.",
    )
    .meta({ title: "Mask with pseudonyms that can be restored" }),
});

export const dataLossPrevention = defineDetector({
  kind: "data_loss_prevention",
  title: "Data loss prevention",
  summary: "Detects personal data and credentials in text and tool calls, and can mask them.",
  reads: {
    input: ["user", "assistant", "system", "tool_definition", "tool_arguments", "tool_result"],
    output: ["assistant", "tool_definition", "tool_arguments", "tool_result"],
  },
  masks: true,
  numbers: true,
  settings: Settings,
  prepare: (settings) => {
    const selection = selectEntities(settings);
    const custom = settings.rules.map((rule) =>
      compileCustomRule({ ...rule, ...toMaskStyle(rule, "***") }),
    );
    const allowed = new Set(settings.allow_list.map((value) => value.toLowerCase()));

    const findAll = (segment: Segment, names?: NameFinder): LocatedMatch[] => {
      const customMatches = custom.flatMap(({ find }) => find(segment, settings.reversible));
      const entityMatches = findEntityMatches(segment, selection, {
        names: names?.find(segment),
      });
      return [...entityMatches, ...customMatches];
    };
    const inspect = (segment: Segment, found: readonly LocatedMatch[]) => {
      if (found.length === 0) return found;
      // Filters after resolving overlaps, so that no shorter match inside an allowed value is reported.
      return resolveOverlaps(found).filter(
        ({ at: { start, end } }) =>
          allowed.size === 0 || !allowed.has(segment.text.slice(start, end).toLowerCase()),
      );
    };
    const partial: PartialInspection = {
      findOpenStart: (segment, from, context) =>
        Math.min(
          findOpenInViews(segment, from, ({ exact }, at) =>
            Math.min(findOpenValue(exact, at), findOpenSecret(exact, at)),
          ),
          ...custom.map(({ partial }) => partial.findOpenStart(segment, from, context)),
        ),
      context: Math.max(VALUE_CONTEXT, ...custom.map(({ partial }) => partial.context)),
      keepContext: keepTableContext,
    };
    const createInspector = (names?: NameFinder) => {
      const findOnce = (_: string, segment: Segment) => findAll(segment, names);
      return inspectMessages(
        (segment) => inspect(segment, computeOnce(segment, findOnce)),
        { ...partial, findSpans: (segment) => toSpans(computeOnce(segment, findOnce)) },
        findEntitiesInSteps,
      );
    };
    return [...selection.masks.keys()].some(isNameEntity)
      ? inspectWithNames(createInspector, partial)
      : createInspector();
  },
});

/** Loads the model of names before the first inspection. */
function inspectWithNames(
  createInspector: (names: NameFinder) => Inspector,
  partial: PartialInspection,
): Inspector {
  let names: NameFinder | undefined;
  let inspect: Inspector | undefined;
  const inspector: Inspector = (texts, context) => {
    if (inspect) return inspect(texts, context);
    return context.services.loadNameFinder().then((loaded) => {
      names = loaded;
      inspect = createInspector(loaded);
      return inspect(texts, context);
    });
  };
  return Object.assign(inspector, {
    partial: {
      ...partial,
      // Called only after an inspection.
      findOpenStart: (segment: Segment, from: number, context: InspectionContext) =>
        Math.min(
          partial.findOpenStart(segment, from, context),
          names?.findOpenStart(segment, from) ?? from,
        ),
      findSpans: (segment: Segment) => inspect?.partial?.findSpans?.(segment) ?? [],
      context: Math.max(partial.context, NAME_CONTEXT),
    },
  });
}

function selectEntities(settings: z.output<typeof Settings>): EntitySelection {
  const { apply_all, predefined_entities } = settings;
  const entries = new Map(predefined_entities.map((entry) => [entry.entity, entry]));
  const enabled = predefined_entities.filter((entry) => entry.enabled).map(({ entity }) => entity);
  const selected: readonly EntityName[] =
    apply_all === true
      ? ENTITY_NAMES.filter((entity) => !isNameEntity(entity) || enabled.includes(entity))
      : apply_all === false || enabled.length > 0
        ? enabled
        : DEFAULT_ENTITIES;
  const masks = new Map<EntityName, MaskStyle>();
  for (const entity of selected) {
    const entry = entries.get(entity);
    if (entry?.enabled === false) continue;
    const style = defaultMaskStyle(entity);
    masks.set(entity, entry ? toMaskStyle(entry, style.mask_with) : style);
  }
  return { masks, min_confidence: settings.min_confidence, reversible: settings.reversible };
}

const toMaskStyle = (
  { mask_with, preserve_len }: { mask_with?: string | undefined; preserve_len: boolean },
  defaultMask: string,
): MaskStyle => ({ mask_with: mask_with ?? (preserve_len ? "*" : defaultMask), preserve_len });

const validateKeyword = (pattern: string) =>
  foldText(pattern).text.trim() === "" || LINE_BREAK.test(pattern)
    ? "must contain a visible character and no line break"
    : undefined;
