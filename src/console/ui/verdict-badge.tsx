/** Badge of a verdict. */
import type { EvaluationEvent } from "../../contract/guard/activity.ts";
import { Badge, type Tone } from "./badge.tsx";
import type { IconName } from "./icon.tsx";

type VerdictStatus = EvaluationEvent["status"];

const STYLES: Record<VerdictStatus, { tone: Tone; icon: IconName }> = {
  block: { tone: "bad", icon: "stop" },
  ask: { tone: "warn", icon: "hand" },
  transform: { tone: "accent", icon: "pencil" },
  report: { tone: "plain", icon: "flag" },
  allow: { tone: "good", icon: "check" },
  error: { tone: "bad", icon: "warning" },
};

/** From most to least restrictive. */
export const VERDICTS = Object.keys(STYLES) as VerdictStatus[];

export const VerdictBadge = ({ status }: { status: VerdictStatus }) => (
  <Badge {...STYLES[status]} text={status} />
);
