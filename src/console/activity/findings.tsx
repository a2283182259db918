/** What was found in a payload: by whom, of which kind, where, and what was done about it. */
import type { Finding } from "../../contract/evaluate.ts";
import { Badge } from "../ui/badge.tsx";
import { VerdictBadge } from "../ui/verdict-badge.tsx";

export function Findings({ findings }: { findings: readonly Finding[] }) {
  if (findings.length === 0) return <p className="muted">Nothing was found.</p>;
  return (
    <ol className="findings">
      {findings.map((finding, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: findings have no other identity
        <li key={index}>
          <div className="row tight">
            <VerdictBadge status={finding.outcome.action} />
            <strong>{sourceName(finding)}</strong>
            <span className="muted">{finding.source.kind}</span>
          </div>
          <p>
            <Why of={finding} />
            <Unless evidence={finding.evidence} />
          </p>
          <Locations of={finding.evidence} />
        </li>
      ))}
    </ol>
  );
}

/** What fired, as people call it. */
export const sourceName = ({ source }: Finding): string =>
  source.detector_name ?? source.gate_name ?? source.kind;

/** A gate is certain of what it asks; a detector says how sure it is. */
function Why({ of: { source, signal, evidence } }: { of: Finding }) {
  if (source.kind === "detector") {
    return (
      <>
        <code>{signal.type}</code>, {Math.round(signal.confidence * 100)} % sure
      </>
    );
  }
  if (!evidence.condition) return "It has no condition.";
  return (
    <>
      Because <code>{JSON.stringify(evidence.condition)}</code>
    </>
  );
}

/** Why less was done than the rule says. */
function Unless({ evidence }: { evidence: Finding["evidence"] }) {
  if (evidence.approved === true) return <Badge tone="good" icon="check" text="approved" />;
  if (typeof evidence.would_be !== "string") return null;
  return <Badge tone="plain" icon="flag" text={`not enforced; would be ${evidence.would_be}`} />;
}

/** As the guard writes them; a custom detector may leave members out. */
interface FindingLocation {
  label?: string;
  pointer?: string;
  inner_pointer?: string;
  start?: number;
  end?: number;
}

function Locations({ of: { places, count } }: { of: Finding["evidence"] }) {
  if (!Array.isArray(places) || places.length === 0) return null;
  const more = typeof count === "number" ? count - places.length : 0;
  return (
    <ul className="entries">
      {(places as FindingLocation[]).map(({ label, pointer, inner_pointer, start, end }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: places have no other identity
        <li key={index}>
          {label} {pointer && <code>{pointer + (inner_pointer ?? "")}</code>}
          {start !== undefined && (
            <span className="muted">
              {" "}
              characters {start} to {end}
            </span>
          )}
        </li>
      ))}
      {more > 0 && <li className="muted">and {more} more</li>}
    </ul>
  );
}
