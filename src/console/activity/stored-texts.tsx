/** Stored content of an evaluation, for roles that may read it. */
import type { EvaluationEvent, StoredText } from "../../contract/guard/activity.ts";
import type { Finding } from "../../contract/guard/evaluate.ts";
import { showControls } from "../../lib/text/show-controls.ts";
import { call } from "../api.ts";
import { activity } from "../endpoints.ts";
import { useSession } from "../session.ts";
import { Ready } from "../ui/page.tsx";
import { useLoad } from "../use-load.ts";
import { findHighlights, type Highlight } from "./find-highlights.ts";
import { HighlightedText } from "./highlighted-text.tsx";

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
        <Loaded event={event} />
      ) : (
        <p className="muted">Visible to the roles auditor, admin and owner.</p>
      )}
    </>
  );
}

function Loaded({ event }: { event: EvaluationEvent }) {
  const { id: event_id, findings, content_storage } = event;
  const loaded = useLoad(event_id, () => call(activity.get, { params: { event_id } }));
  return (
    <Ready of={loaded} what="The content">
      {({ content }) => (
        <TextList
          content={(content ?? []).map((text) => markMasked(text, content_storage))}
          findings={findings}
        />
      )}
    </Ready>
  );
}

/** Marks masked texts of earlier releases, which did not mark them. */
const markMasked = (stored: StoredText, storage: EvaluationEvent["content_storage"]): StoredText =>
  storage === "masked" && stored.text.includes("[MASKED_") ? { ...stored, masked: true } : stored;

interface TextListProps {
  content: readonly StoredText[];
  findings: readonly Finding[];
  /** Without the paths in the payload. */
  plain?: boolean;
}

/** Texts of an evaluation with their findings. */
export function TextList({ content, findings, plain = false }: TextListProps) {
  if (content.length === 0) return <p className="muted">The evaluation has no text.</p>;
  const highlights = findHighlights(content, findings);
  return content.map((stored, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: one location can have several texts
    <Stored key={index} stored={stored} highlights={highlights[index] ?? []} plain={plain} />
  ));
}

interface StoredProps {
  stored: StoredText;
  highlights: readonly Highlight[];
  plain: boolean;
}

function Stored({ stored, highlights, plain }: StoredProps) {
  const { pointer, inner, source, role, text } = stored;
  return (
    <figure className="stored">
      {!plain && (
        <figcaption>
          <code>{showControls(pointer + (inner ?? ""))}</code> {source.replaceAll("_", " ")}
          {role && role !== source && `, as ${showControls(role)}`}
        </figcaption>
      )}
      <HighlightedText text={text} highlights={highlights} />
    </figure>
  );
}
