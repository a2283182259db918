/** Empties the word lists of a masked transcription, which would reveal a match of several words. */
import { OPEN_BRACE, OPEN_BRACKET } from "../../lib/json/skip-value.ts";
import {
  applyEdits,
  eachItem,
  eachMember,
  findValueEnd,
  skipBlank,
  type TextEdit,
} from "../../lib/json/source-text.ts";

/** `json` is an object. Word lists are in it, or in its segments. */
export function emptyWordLists(json: string): string {
  const edits: TextEdit[] = [];
  const visit = (at: number): number => {
    if (json.charCodeAt(at) !== OPEN_BRACE) return findValueEnd(json, at);
    return eachMember(json, at, (name, value) => {
      const isList = json.charCodeAt(value) === OPEN_BRACKET;
      if (isList && name === "segments") return eachItem(json, value, (_, item) => visit(item));
      const end = findValueEnd(json, value);
      if (isList && name === "words") edits.push({ from: value, to: end, put: "[]" });
      return end;
    });
  };
  visit(skipBlank(json, 0));
  return applyEdits(json, edits);
}
