/** Where something stands that a person decides, as a sign and a word. */
import type { Approval } from "../../contract/approvals.ts";
import type { StoreRequest } from "../../contract/store-requests.ts";
import { Badge, type Tone } from "./badge.tsx";
import type { IconName } from "./icon.tsx";

type State = Approval["status"] | StoreRequest["state"];

const LOOKS: Record<State, { tone: Tone; icon: IconName }> = {
  pending: { tone: "warn", icon: "hand" },
  approved: { tone: "good", icon: "check" },
  denied: { tone: "bad", icon: "cross" },
  rejected: { tone: "bad", icon: "cross" },
  cancelled: { tone: "plain", icon: "minus" },
  expired: { tone: "plain", icon: "minus" },
  superseded: { tone: "plain", icon: "minus" },
};

export const DecisionBadge = ({ state }: { state: State }) => (
  <Badge {...LOOKS[state]} text={state} />
);
