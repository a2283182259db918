/** A verdict in full: what it means, what was found, and what would be sent instead. */
import type { Verdict as Judged, Status } from "../../contract/evaluate.ts";
import { Findings } from "../activity/findings.tsx";
import { Badge } from "../ui/badge.tsx";
import { VerdictBadge } from "../ui/verdict-badge.tsx";
import { diffLines } from "./diff-lines.ts";

const MEANING: Record<Status, string> = {
  block: "The application must stop.",
  ask: "A person must decide before the application goes on.",
  transform: "The application sends the rewritten payload instead.",
  report: "The application goes on unchanged; the findings are told.",
  allow: "The application goes on unchanged.",
};

export function TestVerdict({ payload, verdict }: { payload: unknown; verdict: Judged }) {
  const { status, findings, transformed_payload, detectors, latency_ms } = verdict;
  return (
    <>
      <p className="verdict-large">
        <VerdictBadge status={status} />
      </p>
      <p>{MEANING[status]}</p>
      <p className="muted">
        Version {verdict.policy?.version}, mode {verdict.policy?.mode}. Detectors: {detectors.run}{" "}
        ran, {detectors.skipped} skipped; {latency_ms.toFixed(1)} ms.
      </p>
      {detectors.failed.map(({ detector_id, detector_name, error }) => (
        <p key={detector_id}>
          <Badge tone="bad" icon="warning" text="failed" /> {detector_name}: {error}
        </p>
      ))}
      <h3>Findings</h3>
      <Findings findings={findings} />
      {transformed_payload && (
        <>
          <h3>What is sent instead</h3>
          <PayloadDiff before={payload} after={transformed_payload} />
        </>
      )}
    </>
  );
}

function PayloadDiff({ before, after }: { before: unknown; after: unknown }) {
  const lines = diffLines(JSON.stringify(before, null, 2), JSON.stringify(after, null, 2));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled by keyboard too
    <section className="code-block" aria-label="Changes of the payload" tabIndex={0}>
      <pre className="diff">
        {lines.map(({ sign, text }, index) => {
          const Line = sign === "-" ? "del" : sign === "+" ? "ins" : "span";
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other identity
            <Line key={index}>
              {sign} {text}
              {"\n"}
            </Line>
          );
        })}
      </pre>
    </section>
  );
}
