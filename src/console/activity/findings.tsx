/** Findings of an evaluation: source, type, location and action. */
import type { ReactNode } from "react";
import type { Condition } from "../../contract/guard/conditions.ts";
import type { Finding } from "../../contract/guard/evaluate.ts";
import { toReference } from "../../contract/guard/to-reference.ts";
import { describeCondition } from "../policies/policy-sentences.ts";
import { Badge } from "../ui/badge.tsx";
import { showHidden } from "../ui/show-hidden.ts";
import { VerdictBadge } from "../ui/verdict-badge.tsx";
import { locationsOf } from "./find-highlights.ts";

interface FindingsProps {
  findings: readonly Finding[];
  /** Returns what follows a finding; null: the verdict, if there are no findings. */
  after?: (index: number | null, finding?: Finding) => ReactNode;
  /** Without the locations, which are highlighted elsewhere. */
  plain?: boolean;
}

export function Findings({ findings, after, plain = false }: FindingsProps) {
  if (findings.length === 0) {
    return (
      <>
        <p className="muted">No findings.</p>
        {after?.(null)}
      </>
    );
  }
  return (
    <ol className="findings">
      {findings.map((finding, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: findings have no other identity
        <li key={index}>
          <div className="row tight">
            <VerdictBadge status={finding.outcome.action} />
            <strong>{showHidden(sourceName(finding))}</strong>
            <span className="muted">{finding.source.kind}</span>
          </div>
          <p>
            <Reason of={finding} />
            <Exception evidence={finding.evidence} />
          </p>
          <Locations of={finding.evidence} plain={plain} />
          {after?.(index, finding)}
        </li>
      ))}
    </ol>
  );
}

/** Returns the name of the detector or gate. */
export const sourceName = ({ source }: Finding): string =>
  source.detector_name ?? source.gate_name ?? source.kind;

/** Shows the condition of a gate, or the signal and confidence of a detector. */
function Reason({ of: { source, signal, evidence } }: { of: Finding }) {
  if (source.kind === "detector") {
    return (
      <>
        <code>{signal.type}</code>, {Math.round(signal.confidence * 100)} % confidence
      </>
    );
  }
  // The server stores the condition of the gate as it was validated.
  return `Applies ${describeCondition((evidence.condition ?? null) as Condition | null)}.`;
}

/** Says why the action of the rule did not apply. */
function Exception({ evidence }: { evidence: Finding["evidence"] }) {
  if (evidence.approved === true) return <Badge tone="good" icon="check" text="approved" />;
  if (typeof evidence.would_be !== "string") return null;
  return <Badge tone="plain" icon="flag" text={`not enforced; would be ${evidence.would_be}`} />;
}

interface LocationsProps {
  of: Finding["evidence"];
  plain: boolean;
}

function Locations({ of: evidence, plain }: LocationsProps) {
  const locations = locationsOf(evidence);
  if (locations.length === 0) return null;
  const more = typeof evidence.count === "number" ? evidence.count - locations.length : 0;
  return (
    <ul className="entries">
      {locations.map(({ label, pointer, inner_pointer, start, end, passage_sha256 }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: locations have no other identity
        <li key={index}>
          {showHidden(label)}{" "}
          {!plain && pointer && <code>{showHidden(pointer + (inner_pointer ?? ""))}</code>}
          {!plain && start !== undefined && (
            <span className="muted">
              {" "}
              characters {start} to {end}
              {passage_sha256 && `, ref ${toReference(passage_sha256)}`}
            </span>
          )}
        </li>
      ))}
      {more > 0 && <li className="muted">and {more} more</li>}
    </ul>
  );
}
