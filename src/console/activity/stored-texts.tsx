/** Stored content of an evaluation, for roles that may read it. */
import type { EvaluationEvent, StoredText } from "../../contract/guard/activity.ts";
import { call } from "../api.ts";
import { activity } from "../endpoints.ts";
import { useSession } from "../session.ts";
import { Ready } from "../ui/page.tsx";
import { useLoad } from "../use-load.ts";

const STORAGE: Record<EvaluationEvent["content_storage"], string> = {
  none: "The collector does not store content.",
  masked: "The collector stores content with personal data and secrets masked.",
  full: "The collector stores content as sent.",
};

export function StoredTexts({ event }: { event: EvaluationEvent }) {
  const { may } = useSession();
  const hint = <p className="hint">{STORAGE[event.content_storage]}</p>;
  if (event.content_storage === "none") return hint;
  return (
    <>
      {hint}
      {may("audit") ? (
        <Loaded event_id={event.id} />
      ) : (
        <p className="muted">Visible to the roles auditor, admin and owner.</p>
      )}
    </>
  );
}

function Loaded({ event_id }: { event_id: string }) {
  const loaded = useLoad(event_id, () => call(activity.get, { params: { event_id } }));
  return (
    <Ready of={loaded} what="The content">
      {({ content }) => <TextList content={content ?? []} />}
    </Ready>
  );
}

export function TextList({ content }: { content: StoredText[] }) {
  if (content.length === 0) return <p className="muted">The evaluation has no text.</p>;
  return content.map((stored, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: one location can have several texts
    <Stored key={index} stored={stored} />
  ));
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
