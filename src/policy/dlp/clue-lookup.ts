/** Looks up the clue words near a value, which indicate its kind. */
import { createOpenTest } from "../../lib/text/open-pattern.ts";
import type { EntityName } from "./entities.ts";
import type { ClueScope } from "./entity-format.ts";
import { createCellLookup, findTables } from "./find-tables.ts";
import { findLastLabel } from "./identifier-labels.ts";
import { isLinked, isStated } from "./is-linked.ts";
import type { Clue } from "./scan-words.ts";

/** Clue words that apply to the value at the current offset. */
export interface ClueLookup {
  /** Moves to the value at `at`, which must not be before the previous one. Returns whether a clue is near. */
  moveTo: (at: number) => boolean;
  /** Returns whether a clue word near the value names the entity. */
  mention: (entity: EntityName) => boolean;
  /** Returns whether a clue word in the scope indicates that the value ending at `end` is an `entity`. */
  indicate: (entity: EntityName, end: number, scope: ClueScope) => boolean;
}

/** Maximum distance of a clue word before a value. Less than the context of a stream (find-open-value.ts). */
const MAX_BEFORE: Readonly<Record<ClueScope, number>> = {
  linked: 140,
  stated: 140,
  near: 50,
  sentence: 140,
};
const MAX_DISTANCE_AFTER = 60;
/** Length of the longest value that needs a clue. */
const MAX_CLUED_VALUE = 30;

export function createClueLookup(text: string, all: readonly Clue[]): ClueLookup {
  const clues = all.filter(({ entities }) => entities.length > 0);
  const findCell = createCellLookup(findTables(text, clues));
  let at = 0;
  /** Index of the first clue that does not start before the value. */
  let next = 0;
  /** Clue words of the same sentence or row, and of the header of the column. */
  const near: Clue[] = [];
  let header = NO_CLUES;

  return {
    moveTo(offset) {
      at = offset;
      near.length = 0;
      const cell = findCell(at);
      header = cell?.words ?? NO_CLUES;
      // In a row, only the words of the same row count, and the header.
      const from = Math.max(cell?.lineStart ?? 0, at - MAX_BEFORE.sentence);
      while ((clues[next]?.start ?? at) < at) next++;
      for (let index = next - 1; index >= 0; index--) {
        const clue = clues[index];
        if (!clue || clue.start < from || isSeparated(text.slice(clue.start, at))) break;
        near.push(clue);
      }
      for (let index = next; index < clues.length; index++) {
        const clue = clues[index];
        if (!clue || clue.start > at + MAX_CLUED_VALUE + MAX_DISTANCE_AFTER) break;
        near.push(clue);
      }
      return near.length > 0 || header.length > 0;
    },
    mention: (entity) => isNamedBy(near, entity) || isNamedBy(header, entity),
    indicate: (entity, end, scope) =>
      isNamedBy(header, entity) ||
      near.some(
        (clue) =>
          clue.entities.includes(entity) &&
          (clue.end <= at
            ? isLinkedBefore(text, clue, at, scope)
            : clue.start >= end && isLinkedAfter(text, end, clue, scope)),
      ),
  };
}

const NO_CLUES: readonly Clue[] = [];

/** Runs for every format at every value, so it creates no function. */
function isNamedBy(clues: readonly Clue[], entity: EntityName): boolean {
  for (const { entities } of clues) if (entities.includes(entity)) return true;
  return false;
}

function isLinkedBefore(text: string, clue: Clue, at: number, scope: ClueScope): boolean {
  if (at - clue.end > MAX_BEFORE[scope]) return false;
  const between = text.slice(clue.end, at);
  // Another label is nearer: `call center order 1234567`. It may belong to the clue: `passport ID: …`.
  if (findLastLabel(between) > 1) return false;
  if (scope === "linked") return isLinked(between);
  return scope !== "stated" || isLinked(between) || isStated(between);
}

function isLinkedAfter(text: string, end: number, clue: Clue, scope: ClueScope): boolean {
  const between = text.slice(end, clue.start);
  if (between.length <= MAX_LINK_AFTER && LINK_TO_CLUE_AFTER.test(between)) return true;
  return (
    scope === "sentence" &&
    between.length <= MAX_DISTANCE_AFTER &&
    SAME_SENTENCE_AFTER.test(between) &&
    text.charAt(clue.end) !== "_"
  );
}

/** Another value or the end of a sentence separates a clue from a value; a question mark does not. */
const isSeparated = (between: string) => MAY_SEPARATE.test(between) && SEPARATED.test(between);
const SEPARATED = /\d{3}|\p{Ll}{4}[.!]\s|\n\s{0,8}\n/u;
/** Matches a part of every match of SEPARATED, 30 times as fast. */
const MAY_SEPARATE = /\d{3}|[.!]\s|\n/;
/** Links a value to the clue after it: `… is my SSN`, `… (SSN)`. */
const LINK_TO_CLUE_AFTER = /^["')]?[ \t]{0,3}(?:\(|(?:is|was|as|es|ist|est)\b)[^\d.!?:;,\n]*$/;
const MAX_LINK_AFTER = 25;
/** Words without a sign that separates statements: `… belongs to the taxpayer whose PAN …`. */
const SAME_SENTENCE_AFTER = /^["')]?,? [^\d.!?:;=_|\n\t]*$/;

/** Returns whether a clue word could still follow a value that ends at `end`. */
export function mayGetClueAfter(text: string, end: number, scope: ClueScope): boolean {
  const length = text.length - end - MAX_CLUE_WORD;
  if (length <= MAX_LINK_AFTER && isLinkOpen(text, end)) return true;
  return scope === "sentence" && length <= MAX_DISTANCE_AFTER && isSentenceOpen(text, end);
}

const isLinkOpen = createOpenTest(
  /["')]?[ \t]{0,3}(?:\(|(?:is|was|as|es|ist|est)\b)[^\d.!?:;,\n]*/,
);
const isSentenceOpen = createOpenTest(/["')]?,? [^\d.!?:;=_|\n\t]*/);
/** Longer than any clue word. */
const MAX_CLUE_WORD = 32;
