/** Finds the selected entities of a segment and assigns their masks. */
import type { Match } from "../detector.ts";
import { type MaskStyle, renderMask } from "../masking/render-mask.ts";
import type { Segment } from "../segment.ts";
import {
  DEFAULT_CONFIDENCE,
  DEFAULT_ENTITIES,
  type EntityHit,
  type EntityName,
  isSecretEntity,
  toMaskLabel,
} from "./entities.ts";
import { findEntities } from "./find-entities.ts";
import type { LocatedMatch } from "./resolve-overlaps.ts";
import { splitByLine } from "./split-by-line.ts";

export interface EntitySelection {
  masks: ReadonlyMap<EntityName, MaskStyle>;
  min_confidence: number;
  /** True to mask by a pseudonym of the session, which can be restored. */
  reversible: boolean;
}

export const DEFAULT_SELECTION: EntitySelection = {
  masks: new Map(DEFAULT_ENTITIES.map((entity) => [entity, defaultMaskStyle(entity)])),
  min_confidence: DEFAULT_CONFIDENCE,
  reversible: false,
};

export function defaultMaskStyle(entity: EntityName): MaskStyle {
  return { mask_with: `[MASKED_${toMaskLabel(entity)}]`, preserve_len: false };
}

/** Returns matches that begin before an offset, and may overlap. `names` are hits of the learned model. */
export function findEntityMatches(
  segment: Segment,
  selection: EntitySelection,
  {
    names = [],
    before = Infinity,
  }: { names?: readonly EntityHit[] | undefined; before?: number } = {},
): LocatedMatch[] {
  const found = findEntities(segment);
  const hits = names.length === 0 ? found : [...found, ...names];
  const createMask = createMaskCache(selection);
  return hits.flatMap((hit) => {
    const { entity, confidence } = hit;
    const style = selection.masks.get(entity);
    if (!style || confidence < selection.min_confidence || hit.start >= before) return [];
    // A match in base64 may span several lines.
    return splitByLine(segment.text, hit).map((at) => ({
      label: entity,
      type: isSecretEntity(entity) ? "secret" : "pii",
      confidence,
      at: { segment, ...at },
      mask: createMask(entity, style, at.end - at.start),
    }));
  });
}

/** Masks that are equal share one object: text may have millions of matches. */
function createMaskCache({ reversible }: EntitySelection) {
  const known = new Map<EntityName, NonNullable<Match["mask"]>>();
  return (entity: EntityName, style: MaskStyle, length: number): NonNullable<Match["mask"]> => {
    const existing = style.preserve_len && !reversible ? undefined : known.get(entity);
    if (existing) return existing;
    const mask = reversible
      ? { pseudonym: toMaskLabel(entity) }
      : { text: renderMask(style, length) };
    known.set(entity, mask);
    return mask;
  };
}
