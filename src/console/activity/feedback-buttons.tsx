/** Buttons that mark a finding, or the verdict of an evaluation without findings, as correct or incorrect. */
import { useState } from "react";
import type { Mark } from "../../contract/guard/activity.ts";
import { call } from "../api.ts";
import { activity } from "../endpoints.ts";
import { useSession } from "../session.ts";
import { Badge } from "../ui/badge.tsx";
import { Failure } from "../ui/page.tsx";
import { useAction } from "../use-action.ts";

interface FeedbackButtonsProps {
  event_id: string;
  /** Position of the finding. null: the verdict. */
  finding: number | null;
  feedback: readonly Mark[];
  onChanged: () => void;
}

const MARKS = [
  ["correct", "Correct"],
  ["incorrect", "Incorrect"],
] as const;

export function FeedbackButtons({ event_id, finding, feedback, onChanged }: FeedbackButtonsProps) {
  const { may } = useSession();
  const [exempted, setExempted] = useState(0);
  const current = feedback.find((other) => other.finding === finding);
  const save = useAction(async (mark: Mark["mark"] | null) => {
    const body = { finding, mark };
    const { exemptions } = await call(activity.setFeedback, { params: { event_id }, body });
    setExempted(exemptions);
    onChanged();
  });
  const by = current && <span className="muted">by {current.actor}</span>;
  if (!may("write")) {
    return current ? (
      <p>
        <MarkBadge mark={current.mark} /> {by}
      </p>
    ) : null;
  }
  return (
    <>
      <div className="row tight">
        {MARKS.map(([mark, text]) => (
          <button
            key={mark}
            type="button"
            className="button small"
            aria-pressed={current?.mark === mark}
            disabled={save.busy}
            onClick={() => save.run(current?.mark === mark ? null : mark)}
          >
            {text}
          </button>
        ))}
        {by}
      </div>
      <p className="hint" role="status">
        {exempted > 0 && "The policy no longer reports this text."}
      </p>
      <Failure title="The mark was not saved." error={save.error} />
    </>
  );
}

const MarkBadge = ({ mark }: { mark: Mark["mark"] }) =>
  mark === "correct" ? (
    <Badge tone="good" icon="check" text="correct" />
  ) : (
    <Badge tone="bad" icon="cross" text="incorrect" />
  );
