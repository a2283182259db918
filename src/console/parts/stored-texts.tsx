/** What is kept of the texts of an evaluation, for those who may see it. */
import type { EvaluationEvent, StoredText } from "../../contract/activity.ts";
import { call } from "../api.ts";
import { activity, approvals } from "../endpoints.ts";
import { useLoad } from "../load.ts";
import { useSession } from "../session.ts";
import { Ready } from "./page.tsx";

const KEPT: Record<EvaluationEvent["content_storage"], string> = {
  none: "The collector keeps no texts.",
  masked: "The collector keeps texts with personal data and secrets masked.",
  full: "The collector keeps texts as they came.",
};

interface StoredTextsProps {
  event: EvaluationEvent;
  /** What the event asked: nobody can decide about what they cannot see. */
  approval_id?: string;
}

export function StoredTexts({ event, approval_id }: StoredTextsProps) {
  const { may } = useSession();
  const hint = <p className="hint">{KEPT[event.content_storage]}</p>;
  if (event.content_storage === "none") return hint;
  if (!may("audit") && !(approval_id && may("approve"))) {
    const approver = approval_id ? "approver, " : "";
    return (
      <>
        {hint}
        <p className="muted">They are shown to the roles {approver}auditor, admin and owner.</p>
      </>
    );
  }
  return (
    <>
      {hint}
      <Loaded event_id={event.id} approval_id={approval_id} />
    </>
  );
}

interface LoadedProps {
  event_id: string;
  approval_id: string | undefined;
}

function Loaded({ event_id, approval_id }: LoadedProps) {
  const loaded = useLoad<{ content: StoredText[] | null }>(approval_id ?? event_id, () =>
    approval_id
      ? call(approvals.get, { params: { approval_id } })
      : call(activity.get, { params: { event_id } }),
  );
  return (
    <Ready of={loaded} what="The texts">
      {({ content }) =>
        content === null || content.length === 0 ? (
          <p className="muted">The evaluation had no text.</p>
        ) : (
          content.map((stored, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: one place can hold several texts
            <Stored key={index} stored={stored} />
          ))
        )
      }
    </Ready>
  );
}

function Stored({ stored: { pointer, inner, source, role, text } }: { stored: StoredText }) {
  return (
    <figure className="stored">
      <figcaption>
        <code>{pointer + (inner ?? "")}</code> {source.replaceAll("_", " ")}
        {role && role !== source && `, as ${role}`}
      </figcaption>
      <pre>{text}</pre>
    </figure>
  );
}
