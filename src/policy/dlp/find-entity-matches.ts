/** Finds the selected entities of a segment and assigns their masks. */
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

/** Returns matches that may overlap. `names` are hits of the learned model. */
export function findEntityMatches(
  segment: Segment,
  selection: EntitySelection,
  names: readonly EntityHit[] = [],
): LocatedMatch[] {
  const found = findEntities(segment);
  const hits = names.length === 0 ? found : [...found, ...names];
  return hits.flatMap((hit) => {
    const { entity, confidence } = hit;
    const style = selection.masks.get(entity);
    if (!style || confidence < selection.min_confidence) return [];
    // A match in base64 may span several lines.
    return splitByLine(segment.text, hit).map((at) => ({
      label: entity,
      type: isSecretEntity(entity) ? "secret" : "pii",
      confidence,
      at: { segment, ...at },
      mask: selection.reversible
        ? { pseudonym: toMaskLabel(entity) }
        : { text: renderMask(style, at.end - at.start) },
    }));
  });
}
