/** Labels of access levels, subjects and targets. */
import type { AccessLevel, AccessRule } from "../../../contract/store/access.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import type { IconName } from "../../ui/icon.tsx";

const LEVEL_LABELS: Record<AccessLevel, string> = {
  install: "install: without approval",
  request: "request: needs approval",
  none: "none: not allowed",
};

export const LEVEL_OPTIONS = Object.entries(LEVEL_LABELS);

const STYLES: Record<AccessLevel, { tone: Tone; icon: IconName }> = {
  install: { tone: "good", icon: "check" },
  request: { tone: "warn", icon: "hand" },
  none: { tone: "bad", icon: "stop" },
};

export const AccessLevelBadge = ({ level }: { level: AccessLevel }) => (
  <Badge {...STYLES[level]} text={level} />
);

export const describeSubject = ({ subject_type, subject }: AccessRule): string =>
  subject_type === "everyone" ? "everyone" : `${subject_type} ${subject}`;

export const describeTarget = ({ target_type, target }: AccessRule): string =>
  target_type === "all"
    ? "all servers"
    : `${target_type === "code" ? "server" : "category"} ${target}`;
