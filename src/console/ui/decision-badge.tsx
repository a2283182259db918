/** Badge of an approval or Store request that a person decides. */
import type { Approval } from "../../contract/guard/approvals.ts";
import type { StoreRequest } from "../../contract/store/requests.ts";
import { Badge, type Tone } from "./badge.tsx";
import type { IconName } from "./icon.tsx";

type DecisionState = Approval["status"] | StoreRequest["state"];

const STYLES: Record<DecisionState, { tone: Tone; icon: IconName }> = {
  pending: { tone: "warn", icon: "hand" },
  approved: { tone: "good", icon: "check" },
  denied: { tone: "bad", icon: "cross" },
  rejected: { tone: "bad", icon: "cross" },
  cancelled: { tone: "plain", icon: "minus" },
  expired: { tone: "plain", icon: "minus" },
  superseded: { tone: "plain", icon: "minus" },
};

export const DecisionBadge = ({ state }: { state: DecisionState }) => (
  <Badge {...STYLES[state]} text={state} />
);
