/** Badge of a verdict, or of the action of a finding. */

import { STATUSES } from "../../contract/guard/actions.ts";
import type { EvaluationEvent } from "../../contract/guard/activity.ts";
import { Badge, type Tone } from "./badge.tsx";
import type { IconName } from "./icon.tsx";

type VerdictStatus = EvaluationEvent["status"];
type Shown = VerdictStatus | "withhold";

const STYLES: Record<Shown, { tone: Tone; icon: IconName }> = {
  block: { tone: "bad", icon: "stop" },
  ask: { tone: "warn", icon: "hand" },
  transform: { tone: "accent", icon: "pencil" },
  withhold: { tone: "accent", icon: "minus" },
  report: { tone: "plain", icon: "flag" },
  allow: { tone: "good", icon: "check" },
  error: { tone: "bad", icon: "warning" },
};

/** From most to least restrictive. */
export const VERDICTS: readonly VerdictStatus[] = [...STATUSES, "error"];

export const VerdictBadge = ({ status }: { status: Shown }) => (
  <Badge {...STYLES[status]} text={status} />
);
