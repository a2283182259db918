/** Replays recorded evaluations with a policy, including unsaved changes. Nothing is written. */
import { useEffect, useRef, useState } from "react";
import type { Policy, PolicyInput } from "../../contract/guard/policies.ts";
import { now } from "../../lib/time/clock.ts";
import { collectors } from "../endpoints.ts";
import { readAllPages } from "../read-all-pages.ts";
import { useSession } from "../session.ts";
import { SelectField } from "../ui/fields/field.tsx";
import { Section } from "../ui/form.tsx";
import { Icon } from "../ui/icon.tsx";
import { Failure } from "../ui/page.tsx";
import { listRanges, rangeStart } from "../ui/time-range.ts";
import { useAction } from "../use-action.ts";
import { useLoad } from "../use-load.ts";
import { nameDraftFields } from "./name-draft-fields.ts";
import { type ReplayProgress, replayInSteps } from "./replay-in-steps.ts";
import { ReplayOutcome } from "./replay-outcome.tsx";

/** Selects the events to replay. */
export interface ReplayChoice {
  range: string;
  /** Empty: all collectors. */
  collector_id: string;
  maxEvents: string;
}

export const newReplay = (): ReplayChoice => ({
  range: "24h",
  collector_id: "",
  maxEvents: "1000",
});

const MAX_EVENTS = [
  ["200", "Latest 200"],
  ["1000", "Latest 1,000"],
  ["10000", "Latest 10,000"],
] as const;

interface PolicyReplayProps {
  policy: Policy;
  /** Throws if the draft is incomplete. Undefined: no unsaved changes. */
  draft: (() => PolicyInput) | undefined;
  choice: ReplayChoice;
  onChange: (changes: Partial<ReplayChoice>) => void;
}

export function PolicyReplay({ policy, draft, choice, onChange }: PolicyReplayProps) {
  const { may } = useSession();
  if (!may("audit")) {
    return <p className="empty">Replay requires the role auditor, admin or owner.</p>;
  }
  return <Replay {...{ policy, draft, choice, onChange }} />;
}

function Replay({ policy, draft, choice, onChange }: PolicyReplayProps) {
  const { range, collector_id, maxEvents } = choice;
  const [progress, setProgress] = useState<ReplayProgress>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const loadedCollectors = useLoad("", (read) =>
    readAllPages((query) =>
      read(collectors.list, { params: {}, query: { ...query, sort: "name" } }),
    ),
  );
  const replay = useAction(async () => {
    setProgress(undefined);
    running.current = new AbortController();
    const options = {
      policy_id: policy.id,
      draft: draft?.() ?? null,
      from: rangeStart(range) ?? new Date(0).toISOString(),
      to: now().toISOString(),
      collector_id: collector_id || undefined,
      maxEvents: Number(maxEvents),
    };
    await replayInSteps(options, setProgress, running.current.signal);
  });
  const all = loadedCollectors.state === "ready" ? loadedCollectors.value : [];
  return (
    <>
      <div className="note">
        <Icon name="flag" />
        <p>
          {draft
            ? "Uses the policy with its unsaved changes."
            : `Uses the saved version ${policy.version}.`}{" "}
          Nothing is recorded. Detectors that call a model or an external service do not run. Events
          whose content was masked or not stored are listed separately.
        </p>
      </div>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void replay.run();
        }}
      >
        <Section title="Events to replay">
          <div className="columns">
            <SelectField
              label="Time"
              value={range}
              options={listRanges(new URLSearchParams())}
              onChange={(value) => onChange({ range: value })}
            />
            <SelectField
              label="Collector"
              value={collector_id}
              options={[["", "Any"], ...all.map(({ id, name }) => [id, name] as const)]}
              onChange={(value) => onChange({ collector_id: value })}
            />
            <SelectField
              label="Max events"
              value={maxEvents}
              options={MAX_EVENTS}
              onChange={(value) => onChange({ maxEvents: value })}
            />
          </div>
          <div className="row">
            <button type="submit" className="button primary" disabled={replay.busy}>
              {replay.busy ? "Replaying…" : "Run replay"}
            </button>
            {replay.busy && (
              <button type="button" className="button" onClick={() => running.current?.abort()}>
                Stop
              </button>
            )}
          </div>
        </Section>
      </form>
      <section className="below" aria-label="Result">
        <h2>Result</h2>
        <Failure title="The replay did not finish." error={nameDraftFields(replay.error)} />
        {progress ? (
          <ReplayOutcome progress={progress} busy={replay.busy} />
        ) : (
          !replay.error && (
            <p className="empty">Run the replay to see which verdicts would change.</p>
          )
        )}
      </section>
    </>
  );
}
