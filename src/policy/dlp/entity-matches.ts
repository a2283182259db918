/** The entities of a text that a choice asks for, as matches with the masks it gives them. */
import { type Masking, maskText } from "../mask-text.ts";
import type { Segment } from "../segment.ts";
import { type EntityName, isSecret, maskName, USUAL_ENTITIES } from "./entities.ts";
import { findEntities } from "./find-entities.ts";
import type { Placed } from "./without-overlaps.ts";

export interface Choice {
  masks: ReadonlyMap<EntityName, Masking>;
  min_confidence: number;
  /** Masked by a name of the session that can be undone. */
  reversible: boolean;
}

export const DEFAULT_CONFIDENCE = 0.5;

export const USUAL_CHOICE: Choice = {
  masks: new Map(USUAL_ENTITIES.map((entity) => [entity, usualMasking(entity)])),
  min_confidence: DEFAULT_CONFIDENCE,
  reversible: false,
};

export function usualMasking(entity: EntityName): Masking {
  return { mask_with: `[MASKED_${maskName(entity)}]`, preserve_len: false };
}

/** They may overlap, as what is found does. */
export function entityMatches(of: Segment, choice: Choice): Placed[] {
  return findEntities(of).flatMap(({ entity, start, end, confidence }) => {
    const masking = choice.masks.get(entity);
    if (!masking || confidence < choice.min_confidence) return [];
    return {
      label: entity,
      type: isSecret(entity) ? "secret" : "pii",
      confidence,
      at: { segment: of, start, end },
      mask: choice.reversible
        ? { pseudonym: maskName(entity) }
        : { text: maskText(masking, end - start) },
    };
  });
}
