/** Details of one evaluation: source, policy, findings and stored content. */
import type { EvaluationEvent } from "../../contract/guard/activity.ts";
import { activity } from "../endpoints.ts";
import { Link } from "../router.tsx";
import { Timestamp } from "../ui/badge.tsx";
import { EventSheet, Fact, type SheetNavigation } from "../ui/event-sheet.tsx";
import { VerdictBadge } from "../ui/verdict-badge.tsx";
import { useLoad } from "../use-load.ts";
import { consumerName, formatMs, isDataPlane } from "./activity-columns.tsx";
import { AllowPassage } from "./allow-passage.tsx";
import { FeedbackButtons } from "./feedback-buttons.tsx";
import { Findings } from "./findings.tsx";
import { StoredTexts } from "./stored-texts.tsx";

interface ActivitySheetProps extends SheetNavigation {
  event: EvaluationEvent;
}

export function ActivitySheet({ event, ...navigation }: ActivitySheetProps) {
  const { detectors } = event;
  // Read again after a mark, without loading the list behind the sheet again.
  const marks = useLoad(event.id, async (read) => {
    const query = { request_id: event.id };
    const { items } = await read(activity.list, { params: {}, query });
    return items[0]?.feedback ?? [];
  });
  const approvalId = event.findings.map(({ evidence }) => evidence.approval_id).find(Boolean);
  return (
    <EventSheet title="Evaluation" {...navigation}>
      <dl className="facts">
        <Fact name="Time" value={<Timestamp at={event.time} precise />} />
        <Fact
          name="Status"
          value={<VerdictBadge status={event.status} />}
          filter={["status", event.status]}
        />
        <Fact
          name="Consumer"
          value={consumerName(event)}
          filter={["consumer_id", event.consumer_id]}
        />
        <Fact
          name="Application"
          value={event.application}
          filter={["application", event.application]}
        />
        <Fact
          name="Collector"
          value={<Link to={`/collectors/${event.collector_id}`}>{event.collector_name}</Link>}
          filter={["collector_id", event.collector_id]}
        />
        <Fact
          name="Policy"
          value={
            event.policy_id && (
              <>
                <Link to={`/policies/${event.policy_id}`}>{event.policy_name}</Link>, version{" "}
                {event.policy_version} ({event.policy_mode})
              </>
            )
          }
          filter={["policy_id", event.policy_id]}
        />
        {typeof approvalId === "string" && (
          <Fact
            name="Approval"
            value={
              <Link to={`/approvals?status=all&kind=evaluation&open=${approvalId}`}>
                Open in Approvals
              </Link>
            }
          />
        )}
        <Fact name="Model" value={event.model} />
        <Fact name="Tool" value={event.tool} />
      </dl>
      <h3>Findings</h3>
      <Findings
        findings={event.findings}
        after={(index, finding) => (
          <>
            {marks.state === "ready" && (
              <FeedbackButtons
                event_id={event.id}
                finding={index}
                feedback={marks.value}
                onChanged={marks.reload}
              />
            )}
            {finding && <AllowPassage finding={finding} />}
          </>
        )}
      />
      {detectors.failed.length > 0 && (
        <>
          <h3>Failed detectors</h3>
          <ul className="entries">
            {detectors.failed.map(({ detector_id, detector_name, error }) => (
              <li key={detector_id}>
                <strong>{detector_name}</strong>: {error}
              </li>
            ))}
          </ul>
        </>
      )}
      {detectors.uninspected?.[0] && (
        <>
          <h3>Not inspected</h3>
          <ul className="entries">
            {detectors.uninspected.map(({ pointer, reason, detail }) => (
              <li key={`${pointer} ${reason} ${detail}`}>
                <code>{pointer}</code>: {reason}
                {detail && ` (${detail})`}
              </li>
            ))}
          </ul>
        </>
      )}
      <h3>Content</h3>
      <StoredTexts event={event} />
      <h3>Details</h3>
      <dl className="facts">
        <Fact name="Direction" value={event.direction} filter={["direction", event.direction]} />
        <Fact name="Protocol" value={event.protocol} filter={["protocol", event.protocol]} />
        <Fact name="Session" value={event.session_id} filter={["session_id", event.session_id]} />
        <Fact name="Detectors" value={`${detectors.run} ran, ${detectors.skipped} skipped`} />
        <Fact name="Duration" value={`${formatMs(event.latency_ms)} ms`} />
        <Fact name="Client address" value={<code>{event.client_address}</code>} />
        <Fact name="User agent" value={event.user_agent} />
        <Fact name="Request ID" value={<code>{event.id}</code>} />
        <Fact
          name="Trace ID"
          value={<code>{event.trace_id}</code>}
          filter={["trace_id", event.trace_id]}
        />
        {isDataPlane(event) && (
          <Fact
            name="Request"
            value={
              <Link
                to={`/gateways/${event.gateway_id}/requests?range=all&trace_id=${event.trace_id}`}
              >
                Open in Requests
              </Link>
            }
          />
        )}
      </dl>
      <Attributes of={event.attributes} />
    </EventSheet>
  );
}

function Attributes({ of }: { of: EvaluationEvent["attributes"] }) {
  const entries = Object.entries(of);
  if (entries.length === 0) return null;
  return (
    <>
      <h3>Attributes</h3>
      <dl className="facts">
        {entries.map(([name, value]) => (
          <Fact key={name} name={name} value={value} />
        ))}
      </dl>
    </>
  );
}
