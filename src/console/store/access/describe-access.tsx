/** Access rules in words. */
import type { AccessLevel, AccessRule } from "../../../contract/store-access.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import type { IconName } from "../../ui/icon.tsx";

export const LEVELS: Record<AccessLevel, string> = {
  install: "install: at once",
  request: "request: an approver decides",
  none: "none: refused",
};

export const LEVEL_OPTIONS = Object.entries(LEVELS);

const LOOKS: Record<AccessLevel, { tone: Tone; icon: IconName }> = {
  install: { tone: "good", icon: "check" },
  request: { tone: "warn", icon: "hand" },
  none: { tone: "bad", icon: "stop" },
};

export const AccessLevelBadge = ({ level }: { level: AccessLevel }) => (
  <Badge {...LOOKS[level]} text={level} />
);

export const describeSubject = ({ subject_type, subject }: AccessRule): string =>
  subject_type === "everyone" ? "everyone" : `${subject_type} ${subject}`;

export const describeTarget = ({ target_type, target }: AccessRule): string =>
  target_type === "all"
    ? "all servers"
    : `${target_type === "code" ? "server" : "category"} ${target}`;
