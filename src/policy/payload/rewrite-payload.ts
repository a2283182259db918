/** How does a payload read with some of its texts changed, and every other byte as it was sent? */
import { COMMA, OPEN_BRACE, OPEN_BRACKET } from "../../lib/json/skip-value.ts";
import {
  applyEdits,
  eachItem,
  eachMember,
  findValueEnd,
  readMemberTexts,
  skipBlank,
  type TextEdit,
} from "../../lib/json/source-text.ts";
import type { TextChange } from "../masking/apply-masks.ts";
import { encodeMember } from "./decode-member.ts";
import { buildPointerTree, type PointerTree } from "./pointer-tree.ts";

/**
 * `body` is the text of an evaluation request that parseStrict took. Answers the text of its payload,
 * - with exactly the changed values replaced, in place: order, other numbers, blanks and escapes stay;
 * - without the tokens of a changed text, which would spell out what was masked;
 * - without `content: null` in messages, which clients that map the copy back refuse;
 * - without `attachments`: they belong to the evaluation and not to the body that is sent on, the caller
 *   has them, and many clients read no answer over 1 MiB.
 */
export function rewritePayload(body: string, changes: readonly TextChange[]): string {
  const tree = buildPointerTree(
    changes.filter(({ segment }) => !IN_ATTACHMENTS.test(segment.pointer)),
  );
  const payload = readMemberTexts(body, skipBlank(body, 0)).get("payload") ?? "{}";
  return applyEdits(payload, [
    ...collectReplacements(payload, tree, TOKEN_MEMBERS),
    ...collectRemovals(payload),
  ]);
}

/** Where answers of models list the tokens of the text beside or below. What is no list or object there is none. */
const TOKEN_MEMBERS: ReadonlySet<string> = new Set(["logprobs", "logprobsResult"]);
const NO_TOKENS: ReadonlySet<string> = new Set();

const IN_ATTACHMENTS = /^\/attachments(?:\/|$)/;

function collectReplacements(
  text: string,
  tree: PointerTree<TextChange>,
  tokens: ReadonlySet<string>,
): TextEdit[] {
  const edits: TextEdit[] = [];
  const drop = (at: number, empty: string): number => {
    const end = findValueEnd(text, at);
    edits.push({ from: at, to: end, put: empty });
    return end;
  };
  const look = (at: number, branch: PointerTree<TextChange> | undefined): number => {
    if (!branch) return findValueEnd(text, at);
    const first = text.charCodeAt(at);
    if (first === OPEN_BRACE) {
      return eachMember(text, at, (name, value) => {
        const empty = tokens.has(name) ? EMPTY_VALUES.get(text.charCodeAt(value)) : undefined;
        return empty === undefined ? look(value, branch.steps.get(name)) : drop(value, empty);
      });
    }
    if (first === OPEN_BRACKET) {
      return eachItem(text, at, (index, value) => look(value, branch.steps.get(String(index))));
    }
    const end = findValueEnd(text, at);
    const changed = toReplacement(text.slice(at, end), branch);
    if (changed !== undefined) edits.push({ from: at, to: end, put: JSON.stringify(changed) });
    return end;
  };
  look(skipBlank(text, 0), tree);
  return edits;
}

const EMPTY_VALUES = new Map([
  [OPEN_BRACE, "null"],
  [OPEN_BRACKET, "[]"],
]);

function toReplacement(
  literal: string,
  { item, inner }: PointerTree<TextChange>,
): string | undefined {
  if (!inner) return item && encodeText(item);
  const document: string = JSON.parse(literal);
  return applyEdits(document, collectReplacements(document, inner, NO_TOKENS));
}

const encodeText = ({ segment: { encoding }, text }: TextChange): string =>
  encoding ? encodeMember(encoding, text) : text;

function collectRemovals(payload: string): TextEdit[] {
  const edits: TextEdit[] = [];
  const drop = (slot: number, end: number) => edits.push(removeMember(payload, slot, end));
  eachMember(payload, 0, (name, at, slot) => {
    if (name === "attachments") {
      const end = findValueEnd(payload, at);
      drop(slot, end);
      return end;
    }
    if (name !== "messages" || payload.charCodeAt(at) !== OPEN_BRACKET)
      return findValueEnd(payload, at);
    return eachItem(payload, at, (_, message) => {
      if (payload.charCodeAt(message) !== OPEN_BRACE) return findValueEnd(payload, message);
      return eachMember(payload, message, (member, value, place) => {
        const end = findValueEnd(payload, value);
        if (member === "content" && payload.startsWith("null", value)) drop(place, end);
        return end;
      });
    });
  });
  return edits;
}

/** A member goes with the comma before it; the first of its object with the comma behind it. */
function removeMember(text: string, slot: number, end: number): TextEdit {
  if (text.charCodeAt(slot - 1) === COMMA) return { from: slot - 1, to: end, put: "" };
  const behind = skipBlank(text, end);
  return { from: slot, to: text.charCodeAt(behind) === COMMA ? behind + 1 : end, put: "" };
}
