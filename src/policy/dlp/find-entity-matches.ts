/** The entities of a text that a choice asks for, as matches with the masks it gives them. */
import { type MaskStyle, renderMask } from "../masking/render-mask.ts";
import type { Segment } from "../segment.ts";
import { DEFAULT_ENTITIES, type EntityName, isSecretEntity, toMaskLabel } from "./entities.ts";
import { findEntities } from "./find-entities.ts";
import type { LocatedMatch } from "./resolve-overlaps.ts";
import { splitByLine } from "./split-by-line.ts";

export interface EntitySelection {
  masks: ReadonlyMap<EntityName, MaskStyle>;
  min_confidence: number;
  /** Masked by a name of the session that can be undone. */
  reversible: boolean;
}

export const DEFAULT_CONFIDENCE = 0.5;

export const DEFAULT_SELECTION: EntitySelection = {
  masks: new Map(DEFAULT_ENTITIES.map((entity) => [entity, defaultMaskStyle(entity)])),
  min_confidence: DEFAULT_CONFIDENCE,
  reversible: false,
};

export function defaultMaskStyle(entity: EntityName): MaskStyle {
  return { mask_with: `[MASKED_${toMaskLabel(entity)}]`, preserve_len: false };
}

/** They may overlap, as what is found does. */
export function findEntityMatches(of: Segment, choice: EntitySelection): LocatedMatch[] {
  return findEntities(of).flatMap(({ entity, start, end, confidence }) => {
    const masking = choice.masks.get(entity);
    if (!masking || confidence < choice.min_confidence) return [];
    // What was found in base64 may go over lines.
    return splitByLine(of.text, { start, end }).map((at) => ({
      label: entity,
      type: isSecretEntity(entity) ? "secret" : "pii",
      confidence,
      at: { segment: of, ...at },
      mask: choice.reversible
        ? { pseudonym: toMaskLabel(entity) }
        : { text: renderMask(masking, at.end - at.start) },
    }));
  });
}
