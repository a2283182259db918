/** Computes the fingerprint that binds an approval to exactly one request. */
import { CONDITION_FIELDS } from "../../contract/guard/conditions.ts";
import { derivedKey } from "../../lib/crypto/seal.ts";
import { compactJson, readMemberTexts, skipBlank } from "../../lib/json/source-text.ts";
import type { CompiledPolicy } from "../../policy/compile-policy.ts";
import type { EncodeMasked } from "../../policy/masking/mask-for-storage.ts";
import { createFacts } from "../create-facts.ts";
import type { ExtractedEvaluation } from "../stages.ts";

/**
 * Covers the policy, every field that its conditions can read, the path and files of an inline request, and the source
 * text of the payload and the tool attributes: a parsed number is rounded, so its fingerprint would match neighboring
 * numbers too.
 */
export function approvalFingerprint(
  { id }: CompiledPolicy,
  evaluation: ExtractedEvaluation,
): string {
  const { keyring, request, covered = [] } = evaluation;
  const hash = new Bun.CryptoHasher("sha256", derivedKey(keyring(), "approvals"));
  const fact = createFacts(evaluation);
  const scope = [id, ...BOUND_FIELDS.map((field) => fact(field) ?? null)];
  const payload = readMemberTexts(readMember(evaluation, "payload"), 0);
  // A client that repeats a JSON-RPC message gives it a new id.
  if (typeof request.payload.jsonrpc === "string") payload.delete("id");
  const parts = [scope, compactMembers(payload), readToolAttributes(evaluation), ...covered];
  hash.update(JSON.stringify(parts));
  return hash.digest("hex");
}

/**
 * Returns a function that encodes masked text, so that an approver can distinguish two accounts and recognize one. The
 * code is keyed and differs between collectors, so that only clients of the collector can confirm a guessed value.
 */
export function createMaskEncoder({ keyring, collector }: ExtractedEvaluation): EncodeMasked {
  const key = derivedKey(keyring(), "approvals");
  return (original) =>
    new Bun.CryptoHasher("sha256", key)
      .update(JSON.stringify(["mask", collector.id, original]))
      .digest("hex")
      .slice(0, CODE_CHARACTERS);
}

const CODE_CHARACTERS = 8;

/** Returns the attributes that describe the tool, as JSON text. */
export function readToolAttributes(
  evaluation: ExtractedEvaluation,
): [name: string, text: string][] {
  const attributes = readMemberTexts(readMember(evaluation, "attributes"), 0);
  return compactMembers(attributes).filter(([name]) => name === "tool" || name.startsWith("tool."));
}

const readMember = ({ text }: ExtractedEvaluation, name: string): string =>
  readMemberTexts(text, skipBlank(text, 0)).get(name) ?? "{}";

/**
 * Leaves out the session, which may differ when a call is repeated, the tool, whose text is covered, and the hook
 * event, which depends on the settings of the agent.
 */
const BOUND_FIELDS = CONDITION_FIELDS.filter((field) => !/^(session|tool|hook)\./.test(field));

/** Returns the covered fields that are neither in the approval itself nor in the payload, with their text. */
export function readShownFields(evaluation: ExtractedEvaluation): [name: string, text: string][] {
  const fact = createFacts(evaluation);
  return SHOWN_FIELDS.flatMap((field) => {
    const value = fact(field) ?? "";
    const isInPayload = field === "model.name" && value === evaluation.payload.model;
    if (value === "" || isInPayload) return [];
    return [[field, typeof value === "string" ? value : JSON.stringify(value)]];
  });
}

const SHOWN_FIELDS = BOUND_FIELDS.filter((field) => /^(?:model|consumer)\.(?!id$)/.test(field));

const compactMembers = (members: Iterable<[string, string]>): [string, string][] =>
  Array.from(members, ([name, text]) => [name, compactJson(text)]);
