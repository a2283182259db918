/** Details of one approval, its evaluation, and the decision. */
import { useState } from "react";
import type { StoredText } from "../../contract/guard/activity.ts";
import type { Approval } from "../../contract/guard/approvals.ts";
import { Findings } from "../activity/findings.tsx";
import { TextList } from "../activity/stored-texts.tsx";
import { call } from "../api.ts";
import { activity, approvals } from "../endpoints.ts";
import { Link } from "../router.tsx";
import { useSession } from "../session.ts";
import { Timestamp } from "../ui/badge.tsx";
import { DecisionBadge } from "../ui/decision-badge.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Fact } from "../ui/event-sheet.tsx";
import { TextField } from "../ui/field.tsx";
import { findProblem } from "../ui/find-problem.ts";
import { Failure, Ready } from "../ui/page.tsx";
import { useAction } from "../use-action.ts";
import { useLoad } from "../use-load.ts";

interface ApprovalSheetProps {
  approval_id: string;
  onClose: () => void;
}

export function ApprovalSheet({ approval_id, onClose }: ApprovalSheetProps) {
  const loaded = useLoad(approval_id, (read) => read(approvals.get, { params: { approval_id } }));
  const title = loaded.state === "ready" ? `Approval: ${loaded.value.asked_by}` : "Approval";
  return (
    <Dialog title={title} onClose={onClose} sheet>
      <Ready of={loaded} what="The approval">
        {(approval) => <Details approval={approval} onClose={onClose} />}
      </Ready>
    </Dialog>
  );
}

interface DetailsProps {
  approval: Approval & { content: StoredText[] | null };
  onClose: () => void;
}

function Details({ approval, onClose }: DetailsProps) {
  const { may } = useSession();
  const pending = approval.status === "pending";
  return (
    <>
      <dl className="facts">
        <Fact name="Status" value={<DecisionBadge state={approval.status} />} />
        <Fact name="Consumer" value={approval.consumer_id} />
        <Fact name="Application" value={approval.application} />
        <Fact name="Tool" value={approval.tool} />
        <Fact name="Requested" value={<Timestamp at={approval.created_at} precise />} />
        <Fact
          name={pending ? "Expires" : "Valid until"}
          value={<Timestamp at={approval.expires_at} precise />}
        />
        {approval.decided_at && (
          <>
            <Fact name="Decided by" value={approval.decided_by} />
            <Fact name="Decided" value={<Timestamp at={approval.decided_at} precise />} />
            <Fact name="Note" value={approval.note} />
          </>
        )}
      </dl>
      <Origin event_id={approval.event_id} />
      {pending && <Content content={approval.content} />}
      {may("approve") && <Decide approval={approval} onClose={onClose} />}
    </>
  );
}

/** The payload to approve. The server sends it to approvers only. */
function Content({ content }: { content: StoredText[] | null }) {
  return (
    <>
      <h3>Payload</h3>
      <p className="hint">Personal data and secrets are masked.</p>
      {content ? (
        <TextList content={content} findings={[]} />
      ) : (
        <p className="muted">Visible to the roles approver, auditor, admin and owner.</p>
      )}
    </>
  );
}

function Origin({ event_id }: { event_id: string }) {
  const loaded = useLoad(event_id, (read) =>
    read(activity.list, { params: {}, query: { request_id: event_id } }),
  );
  return (
    <Ready of={loaded} what="The evaluation">
      {({ items: [event] }) =>
        event ? (
          <>
            <dl className="facts">
              <Fact name="Collector" value={event.collector_name} />
              <Fact name="Policy" value={`${event.policy_name}, version ${event.policy_version}`} />
              <Fact
                name="Evaluation"
                value={
                  <Link to={`/activity?range=all&request_id=${event_id}&open=${event_id}`}>
                    Open in Activity
                  </Link>
                }
              />
            </dl>
            <h3>Findings</h3>
            <Findings findings={event.findings} />
          </>
        ) : (
          <p className="muted">The evaluation is no longer stored.</p>
        )
      }
    </Ready>
  );
}

function Decide({ approval, onClose }: DetailsProps) {
  const { announce } = useSession();
  const [note, setNote] = useState("");
  const decide = useAction(async (decision: "approved" | "denied") => {
    const params = { approval_id: approval.id };
    await call(approvals.decide, { params, body: { decision, note: note || null } });
    onClose();
    announce(`${approval.asked_by} was ${decision}.`);
  });
  const failure = <Failure title="The decision was not saved." error={decide.error} />;
  // If someone else decided first, only the error is shown.
  if (approval.status !== "pending") return failure;
  return (
    // Not a form: Enter in the note must not decide.
    <div className="decide">
      <TextField
        label="Note (optional)"
        hint="Stored with the decision. The approval covers only this payload of this consumer."
        value={note}
        onChange={setNote}
        autoComplete="off"
        problem={findProblem(decide.error, "note")}
      />
      {failure}
      <div className="form-end">
        <button
          type="button"
          className="button danger"
          disabled={decide.busy}
          onClick={() => void decide.run("denied")}
        >
          Deny
        </button>
        <button
          type="button"
          className="button primary"
          disabled={decide.busy}
          onClick={() => void decide.run("approved")}
        >
          Approve
        </button>
      </div>
    </div>
  );
}
