/** What an evaluation came to, as a sign and a word. */
import type { EvaluationEvent } from "../../contract/activity.ts";
import { Badge, type Tone } from "./badge.tsx";
import type { IconName } from "./icon.tsx";

type VerdictStatus = EvaluationEvent["status"];

const LOOKS: Record<VerdictStatus, { tone: Tone; icon: IconName }> = {
  block: { tone: "bad", icon: "stop" },
  ask: { tone: "warn", icon: "hand" },
  transform: { tone: "accent", icon: "pencil" },
  report: { tone: "plain", icon: "flag" },
  allow: { tone: "good", icon: "check" },
  error: { tone: "bad", icon: "warning" },
};

/** From the most to the least restrictive. */
export const VERDICTS = Object.keys(LOOKS) as VerdictStatus[];

export const VerdictBadge = ({ status }: { status: VerdictStatus }) => (
  <Badge {...LOOKS[status]} text={status} />
);
