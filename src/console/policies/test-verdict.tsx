/** Verdict of a test: its meaning, the text with its findings, the changed text and the time per detector. */
import type { Status } from "../../contract/guard/actions.ts";
import { Findings } from "../activity/findings.tsx";
import { TextList } from "../activity/stored-texts.tsx";
import { Badge } from "../ui/badge.tsx";
import { VerdictBadge } from "../ui/verdict-badge.tsx";
import { diffLines } from "./diff-lines.ts";
import type { TrialResult } from "./policy-test.tsx";

const MEANINGS: Record<Status, string> = {
  block: "The application must not continue.",
  ask: "A person must approve before the application continues.",
  transform: "The application uses the changed content.",
  report: "The application continues unchanged. The findings are returned.",
  allow: "The application continues unchanged.",
};

export function TestVerdict({ result }: { result: TrialResult }) {
  const { tested, before, after, isPlain } = result;
  const { status, findings, policy, detectors, detector_times, latency_ms } = tested;
  const noun = isPlain ? "text" : "payload";
  return (
    <>
      <p className="verdict-large">
        <VerdictBadge status={status} />
      </p>
      <p>{MEANINGS[status]}</p>
      <h3>{isPlain ? "Text" : "Texts"}</h3>
      <TextList content={tested.content} findings={findings} plain={isPlain} />
      <h3>Findings</h3>
      <Findings findings={findings} plain={isPlain} />
      {before !== after && (
        <>
          <h3>Changed {noun}</h3>
          <ContentDiff before={before} after={after} />
        </>
      )}
      <h3>Detectors</h3>
      <p className="muted">
        {policy?.version ? `Version ${policy.version}` : "Unsaved changes"}, mode {policy?.mode}.{" "}
        Detectors: {detectors.run} ran, {detectors.skipped} skipped; {formatMs(latency_ms)} in
        total.
      </p>
      {detectors.failed.map(({ detector_id, detector_name, error }) => (
        <p key={detector_id}>
          <Badge tone="bad" icon="warning" text="failed" /> {detector_name}: {error}
        </p>
      ))}
      {detector_times.length > 0 && (
        <dl className="facts" aria-label="Time per detector">
          {detector_times.map(({ detector_id, detector_name, ms }) => (
            <div key={detector_id} className="fact-row">
              <dt>{detector_name}</dt>
              <dd>{formatMs(ms)}</dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}

const formatMs = (ms: number): string => `${ms < 10 ? ms.toFixed(2) : ms.toFixed(0)} ms`;

function ContentDiff({ before, after }: { before: string; after: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users can scroll long lines
    <section className="code-block" aria-label="Changes" tabIndex={0}>
      <pre className="diff">
        {diffLines(before, after).map(({ sign, text }, index) => {
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
