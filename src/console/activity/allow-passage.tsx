/** Button that makes the policy of a finding allow its passages, with a reason and an expiry. */
import { useState } from "react";
import type { Finding } from "../../contract/guard/evaluate.ts";
import { call } from "../api.ts";
import { policies } from "../endpoints.ts";
import { Link } from "../router.tsx";
import { useSession } from "../session.ts";
import { Dialog } from "../ui/dialog.tsx";
import { ExpiryField, inDays } from "../ui/fields/expiry-field.tsx";
import { TextField } from "../ui/fields/field.tsx";
import { findProblem } from "../ui/find-problem.ts";
import { Form } from "../ui/form.tsx";
import { useAction } from "../use-action.ts";
import { locationsOf } from "./find-highlights.ts";

const EXPIRY_DAYS = 30;

export function AllowPassage({ finding: { source, evidence } }: { finding: Finding }) {
  const { may } = useSession();
  const [step, setStep] = useState<"" | "form" | "allowed">("");
  const [reason, setReason] = useState("");
  const [expires_at, setExpiry] = useState<string | null>(() => inDays(EXPIRY_DAYS));
  const { policy_id, detector_id } = source;
  const passages = listPassages(evidence);
  const allow = useAction(async () => {
    for (const passage_sha256 of passages) {
      const body = { passage_sha256, detector_id, reason, expires_at };
      await call(policies.createException, { params: { policy_id }, body });
    }
    setStep("allowed");
  });
  if (!may("write") || passages.size === 0) return null;
  const what = passages.size === 1 ? "this passage" : `these ${passages.size} passages`;
  return (
    <>
      <div className="row tight">
        <button type="button" className="button small" onClick={() => setStep("form")}>
          Allow this
        </button>
      </div>
      <p className="hint" role="status">
        {step === "allowed" && (
          <>
            The policy allows {what}.{" "}
            <Link to={`/policies/${policy_id}?tab=exceptions`}>Exceptions of the policy</Link>
          </>
        )}
      </p>
      {step === "form" && (
        <Dialog title={`Allow ${what}`} onClose={() => setStep("")}>
          <Form action={allow} save="Allow" onCancel={() => setStep("")}>
            <p className="prose">
              The policy no longer reports exactly {what} for this detector, in any request.
            </p>
            <TextField
              label="Reason"
              value={reason}
              onChange={setReason}
              required
              problem={findProblem(allow.error, "reason")}
            />
            <ExpiryField
              initial={String(EXPIRY_DAYS)}
              onChange={setExpiry}
              problem={findProblem(allow.error, "expires_at")}
            />
          </Form>
        </Dialog>
      )}
    </>
  );
}

const listPassages = (evidence: Finding["evidence"]): ReadonlySet<string> =>
  new Set(
    [evidence, ...locationsOf(evidence)].flatMap(({ passage_sha256 }) =>
      typeof passage_sha256 === "string" ? passage_sha256 : [],
    ),
  );
