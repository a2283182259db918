/** Compiles a draft of a policy, which is validated as if it were saved, or a stored version. */
import type { PolicyDocument, PolicyInput } from "../contract/guard/policies.ts";
import { sealContextOf } from "../db/sealed-columns.ts";
import type { Deps } from "../deps.ts";
import { unseal } from "../lib/crypto/seal.ts";
import { type CompiledPolicy, compilePolicy, DRAFT_VERSION } from "../policy/compile-policy.ts";
import { buildPolicyDocument } from "../snapshot/build-policy-document.ts";

export async function compileDraft(
  deps: Deps,
  id: string,
  draft: PolicyInput,
): Promise<CompiledPolicy> {
  const document = await buildPolicyDocument(deps.db, draft);
  return compileVersion(deps, document, { id, version: DRAFT_VERSION });
}

export const compileVersion = (
  deps: Deps,
  document: PolicyDocument,
  of: { id: string; version: number },
): CompiledPolicy =>
  compilePolicy(document, of, (sealed, detector_id) =>
    unseal(deps.keyring(), sealContextOf("detectors.settings", detector_id), sealed),
  );
