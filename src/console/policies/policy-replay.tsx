/** What would this policy have decided about what was recorded? Unsaved changes count; nothing is written. */
import { useEffect, useRef, useState } from "react";
import type { Policy, PolicyInput } from "../../contract/policies.ts";
import { now } from "../../lib/time/clock.ts";
import { collectors } from "../endpoints.ts";
import { readAllPages } from "../read-all-pages.ts";
import { useSession } from "../session.ts";
import { SelectField } from "../ui/field.tsx";
import { Section } from "../ui/form.tsx";
import { Icon } from "../ui/icon.tsx";
import { Failure } from "../ui/page.tsx";
import { RANGE_OPTIONS, rangeStart } from "../ui/time-range.ts";
import { useAction, useLoad } from "../use-load.ts";
import { type ReplayProgress, replayInSteps } from "./replay-in-steps.ts";
import { ReplayOutcome } from "./replay-outcome.tsx";

/** Which events are judged again. */
export interface ReplayChoice {
  range: string;
  /** Empty: those of every collector. */
  collector_id: string;
  most: string;
}

export const newReplay = (): ReplayChoice => ({ range: "24h", collector_id: "", most: "1000" });

const MOST = [
  ["200", "The newest 200"],
  ["1000", "The newest 1,000"],
  ["10000", "The newest 10,000"],
] as const;

interface PolicyReplayProps {
  policy: Policy;
  /** Throws where what was typed is not whole yet. Undefined: nothing was typed. */
  draft: (() => PolicyInput) | undefined;
  choice: ReplayChoice;
  onChange: (changes: Partial<ReplayChoice>) => void;
}

export function PolicyReplay({ policy, draft, choice, onChange }: PolicyReplayProps) {
  const { may } = useSession();
  if (!may("audit")) {
    return <p className="empty">Replay is for the roles auditor, admin and owner.</p>;
  }
  return <Replay {...{ policy, draft, choice, onChange }} />;
}

function Replay({ policy, draft, choice, onChange }: PolicyReplayProps) {
  const { range, collector_id, most } = choice;
  const [progress, setProgress] = useState<ReplayProgress>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const senders = useLoad("", (read) =>
    readAllPages((query) =>
      read(collectors.list, { params: {}, query: { ...query, sort: "name" } }),
    ),
  );
  const replay = useAction(async () => {
    setProgress(undefined);
    running.current = new AbortController();
    const asked = {
      policy_id: policy.id,
      draft: draft?.() ?? null,
      from: rangeStart(range) ?? new Date(0).toISOString(),
      to: now().toISOString(),
      collector_id: collector_id || undefined,
      most: Number(most),
    };
    await replayInSteps(asked, setProgress, running.current.signal);
  });
  const known = senders.state === "ready" ? senders.value : [];
  return (
    <>
      <div className="note">
        <Icon name="flag" />
        <p>
          {draft
            ? "Judges by the policy as it is typed here, with its unsaved changes."
            : `Judges by the saved version, ${policy.version}.`}{" "}
          Nothing is recorded, and nobody else is asked: detectors that call a model or a service
          stay silent. Texts that were kept masked are judged masked: what was hidden is not found
          again.
        </p>
      </div>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void replay.run();
        }}
      >
        <Section title="What is judged again">
          <div className="columns">
            <SelectField
              label="Time"
              value={range}
              options={RANGE_OPTIONS}
              onChange={(value) => onChange({ range: value })}
            />
            <SelectField
              label="Collector"
              value={collector_id}
              options={[["", "Any"], ...known.map(({ id, name }) => [id, name] as const)]}
              onChange={(value) => onChange({ collector_id: value })}
            />
            <SelectField
              label="How many"
              value={most}
              options={MOST}
              onChange={(value) => onChange({ most: value })}
            />
          </div>
          <div className="row">
            <button type="submit" className="button primary" disabled={replay.busy}>
              {replay.busy ? "Judging…" : "Run replay"}
            </button>
            {replay.busy && (
              <button type="button" className="button" onClick={() => running.current?.abort()}>
                Stop
              </button>
            )}
          </div>
        </Section>
      </form>
      <section className="below" aria-label="What would change">
        <h2>What would change</h2>
        <Failure title="The replay did not finish." error={replay.error} />
        {progress ? (
          <ReplayOutcome progress={progress} busy={replay.busy} />
        ) : (
          !replay.error && (
            <p className="empty">Run the replay to see which decisions would be others.</p>
          )
        )}
      </section>
    </>
  );
}
