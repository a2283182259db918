/** Verdict of a test: its meaning, findings and changed payload. */
import type { Status, Verdict } from "../../contract/guard/evaluate.ts";
import { Findings } from "../activity/findings.tsx";
import { Badge } from "../ui/badge.tsx";
import { VerdictBadge } from "../ui/verdict-badge.tsx";
import { diffLines } from "./diff-lines.ts";

const MEANINGS: Record<Status, string> = {
  block: "The application must not continue.",
  ask: "A person must approve before the application continues.",
  transform: "The application uses the changed payload.",
  report: "The application continues unchanged. The findings are returned.",
  allow: "The application continues unchanged.",
};

export function TestVerdict({ payload, verdict }: { payload: unknown; verdict: Verdict }) {
  const { status, findings, transformed_payload, detectors, latency_ms } = verdict;
  return (
    <>
      <p className="verdict-large">
        <VerdictBadge status={status} />
      </p>
      <p>{MEANINGS[status]}</p>
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
          <h3>Changed payload</h3>
          <PayloadDiff before={payload} after={transformed_payload} />
        </>
      )}
    </>
  );
}

function PayloadDiff({ before, after }: { before: unknown; after: unknown }) {
  const lines = diffLines(JSON.stringify(before, null, 2), JSON.stringify(after, null, 2));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users can scroll long lines
    <section className="code-block" aria-label="Payload changes" tabIndex={0}>
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
