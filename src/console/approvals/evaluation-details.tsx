/** Approval of an evaluation: the arguments and texts to approve, and why approval is required. */
import type { StoredText } from "../../contract/guard/activity.ts";
import type { Finding } from "../../contract/guard/evaluate.ts";
import type { InboxItem } from "../../contract/inbox.ts";
import { showControls } from "../../lib/text/show-controls.ts";
import { Findings } from "../activity/findings.tsx";
import { TextList } from "../activity/stored-texts.tsx";
import { activity, approvals } from "../endpoints.ts";
import { Link } from "../router.tsx";
import { Timestamp } from "../ui/badge.tsx";
import { DecisionBadge } from "../ui/decision-badge.tsx";
import { Fact } from "../ui/event-sheet.tsx";
import { Ready } from "../ui/page.tsx";
import { useLoad } from "../use-load.ts";
import { DecisionBar } from "./decision-bar.tsx";
import { titleOf } from "./inbox-list.tsx";
import { nameArguments } from "./name-arguments.ts";

interface EvaluationDetailsProps {
  item: InboxItem;
  onDecided: () => void;
}

export function EvaluationDetails({ item, onDecided }: EvaluationDetailsProps) {
  const loaded = useLoad(item.id, async (read) => {
    const approval = await read(approvals.get, { params: { approval_id: item.id } });
    const query = { request_id: approval.event_id };
    const { items } = await read(activity.list, { params: {}, query });
    return { approval, event: items[0] };
  });
  return (
    <Ready of={loaded} what="The approval">
      {({ approval, event }) => {
        const isPending = approval.status === "pending";
        return (
          <>
            <h2>{titleOf(item)}</h2>
            {isPending && (
              <Content
                content={approval.content}
                tool={approval.tool}
                findings={event?.findings ?? []}
              />
            )}
            <h3>Request</h3>
            <dl className="facts">
              <Fact
                name="Status"
                value={
                  <DecisionBadge
                    state={approval.status === "denied" ? "rejected" : approval.status}
                  />
                }
              />
              <Fact name="Requires approval" value={approval.asked_by} />
              <Fact name="Consumer" value={approval.consumer_id} />
              <Fact name="Tool" value={approval.tool} />
              <Fact name="Application" value={approval.application} />
              <Fact name="Requested" value={<Timestamp at={approval.created_at} precise />} />
              <Fact
                name={isPending ? "Expires" : "Valid until"}
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
            {event ? (
              <>
                <h3>Findings</h3>
                <Findings findings={event.findings} />
                <dl className="facts">
                  <Fact name="Collector" value={event.collector_name} />
                  <Fact
                    name="Policy"
                    value={`${event.policy_name}, version ${event.policy_version}`}
                  />
                  <Fact
                    name="Evaluation"
                    value={
                      <Link to={`/activity?range=all&request_id=${event.id}&open=${event.id}`}>
                        Open in Activity
                      </Link>
                    }
                  />
                </dl>
              </>
            ) : (
              <p className="muted">The evaluation is no longer stored.</p>
            )}
            <DecisionBar
              item={item}
              isPending={isPending}
              hint="Stored with the decision. The approval covers only this payload of this consumer."
              onDecided={onDecided}
            />
          </>
        );
      }}
    </Ready>
  );
}

interface ContentProps {
  /** null: the role may not read it. */
  content: StoredText[] | null;
  /** Tool of the request, which is shown with it. */
  tool: string | null;
  findings: readonly Finding[];
}

/** Content to approve: arguments of a tool call by name, other texts as they are. */
function Content({ content, tool, findings }: ContentProps) {
  if (!content) {
    return (
      <>
        <h3>Payload</h3>
        <p className="muted">Visible to the roles approver, auditor, admin and owner.</p>
      </>
    );
  }
  const shortArguments = content.filter(isShortArgument);
  const calls = content.filter(({ source }) => source === CALLED_TOOL);
  // A model can call several tools, and the client can name another one.
  const isShownAbove = ({ source, text }: StoredText) => source === CALLED_TOOL && text === tool;
  const texts = content.filter((stored) => !isShortArgument(stored) && !isShownAbove(stored));
  const locations = calls.map(({ pointer }) => pointer);
  const names = nameArguments(shortArguments, locations).map(showControls);
  return (
    <>
      {shortArguments.length > 0 && (
        <>
          <h3>Arguments</h3>
          <dl className="facts arguments">
            {shortArguments.map(({ text }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: one location can have several texts
              <Fact key={index} name={names[index] ?? ""} value={renderValue(text)} />
            ))}
          </dl>
        </>
      )}
      {texts.length > 0 && (
        <>
          <h3>{shortArguments.length > 0 ? "Other content" : "Payload"}</h3>
          <TextList content={texts} findings={findings} />
        </>
      )}
      <p className="hint">
        Personal data and secrets are masked. The code after a mask is the same for the same value.
      </p>
    </>
  );
}

const renderValue = (text: string) => <code>{showControls(text)}</code>;

const CALLED_TOOL = "called_tool";
const ARGUMENT_SOURCES = ["tool_arguments", "tool_number", "value", "attribute"];
const MAX_SHORT = 200;

const isShortArgument = ({ source, text }: StoredText): boolean =>
  ARGUMENT_SOURCES.includes(source) && text.length <= MAX_SHORT && !text.includes("\n");
