/** Rewrites changed texts of a payload and keeps every other byte as it was sent. */
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
 * Returns the source text of the payload in `body`, an evaluation request that parseStrict accepted,
 * - with only the changed values replaced: order, other numbers, white space and escapes are kept;
 * - without the token lists of a changed text, which would reveal what was masked, unless it `keepsTokens`,
 * and, unless the payload is needed `complete`,
 * - without `content: null` in messages, which clients that apply the copy reject;
 * - without `attachments`, which the caller has and which could exceed the 1 MiB that many clients read.
 */
export function rewritePayload(
  body: string,
  changes: readonly TextChange[],
  { complete = false, keepsTokens = false }: { complete?: boolean; keepsTokens?: boolean } = {},
): string {
  const tree = buildPointerTree(
    complete ? changes : changes.filter(({ segment }) => !IN_ATTACHMENTS.test(segment.pointer)),
  );
  const payload = readMemberTexts(body, skipBlank(body, 0)).get("payload") ?? "{}";
  return applyEdits(payload, [
    ...collectReplacements(payload, tree, keepsTokens ? NO_TOKENS : TOKEN_MEMBERS),
    ...(complete ? [] : collectRemovals(payload)),
  ]);
}

/** Members that list the tokens of a text next to them. Only arrays and objects are dropped. */
const TOKEN_MEMBERS: ReadonlySet<string> = new Set([
  ...["logprobs", "logprobsResult", "prompt_logprobs"],
  // vLLM and SGLang return them on request.
  ...["token_ids", "prompt_token_ids", "response_token_ids"],
]);
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
  const visit = (at: number, branch: PointerTree<TextChange> | undefined): number => {
    if (!branch) return findValueEnd(text, at);
    const first = text.charCodeAt(at);
    if (first === OPEN_BRACE) {
      return eachMember(text, at, (name, value) => {
        const empty = tokens.has(name) ? EMPTY_VALUES.get(text.charCodeAt(value)) : undefined;
        return empty === undefined ? visit(value, branch.steps.get(name)) : drop(value, empty);
      });
    }
    if (first === OPEN_BRACKET) {
      return eachItem(text, at, (index, value) => visit(value, branch.steps.get(String(index))));
    }
    const end = findValueEnd(text, at);
    const changed = toReplacement(text.slice(at, end), branch);
    if (changed !== undefined) edits.push({ from: at, to: end, put: JSON.stringify(changed) });
    return end;
  };
  visit(skipBlank(text, 0), tree);
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
  const drop = (nameStart: number, end: number) =>
    edits.push(removeMember(payload, nameStart, end));
  eachMember(payload, 0, (name, at, nameStart) => {
    if (name === "attachments") {
      const end = findValueEnd(payload, at);
      drop(nameStart, end);
      return end;
    }
    if (name !== "messages" || payload.charCodeAt(at) !== OPEN_BRACKET)
      return findValueEnd(payload, at);
    return eachItem(payload, at, (_, message) => {
      if (payload.charCodeAt(message) !== OPEN_BRACE) return findValueEnd(payload, message);
      return eachMember(payload, message, (member, value, nameStart) => {
        const end = findValueEnd(payload, value);
        if (member === "content" && payload.startsWith("null", value)) drop(nameStart, end);
        return end;
      });
    });
  });
  return edits;
}

/** Removes a member with the preceding comma; the first member of an object with the following one. */
function removeMember(text: string, nameStart: number, end: number): TextEdit {
  if (text.charCodeAt(nameStart - 1) === COMMA) return { from: nameStart - 1, to: end, put: "" };
  const next = skipBlank(text, end);
  return { from: nameStart, to: text.charCodeAt(next) === COMMA ? next + 1 : end, put: "" };
}
