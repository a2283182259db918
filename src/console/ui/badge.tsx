/** Badges, chips and timestamps. Color is never the only signal. */
import { formatTime } from "../preferences.ts";
import { Icon, type IconName } from "./icon.tsx";
import { showHidden } from "./show-hidden.ts";

export type Tone = "good" | "bad" | "warn" | "accent" | "plain";

export function Badge({ tone, icon, text }: { tone: Tone; icon?: IconName; text: string }) {
  return (
    <span className={`badge ${tone}`}>
      {icon && <Icon name={icon} />}
      {showHidden(text)}
    </span>
  );
}

export const StateBadge = ({ on, words }: { on: boolean; words: [string, string] }) =>
  on ? (
    <Badge tone="good" icon="check" text={words[0]} />
  ) : (
    <Badge tone="plain" icon="minus" text={words[1]} />
  );

export const KeyStateBadge = ({ state }: { state: "active" | "expired" | "revoked" }) =>
  state === "active" ? (
    <Badge tone="good" icon="check" text="active" />
  ) : (
    <Badge tone={state === "revoked" ? "bad" : "warn"} icon="cross" text={state} />
  );

export const ModeBadge = ({ mode }: { mode: "observe" | "enforce" }) =>
  mode === "enforce" ? (
    <Badge tone="good" icon="policy" text="enforce" />
  ) : (
    <Badge tone="warn" icon="search" text="observe" />
  );

export function StatusBadge({ code }: { code: number }) {
  if (code < 400) return <Badge tone="good" icon="check" text={String(code)} />;
  return <Badge tone={code < 500 ? "warn" : "bad"} icon="warning" text={String(code)} />;
}

export const Capabilities = ({ of }: { of: readonly string[] }) => (
  <Chips of={of.map((name) => name.replaceAll("_", " "))} />
);

export function Chips({ of }: { of: readonly string[] }) {
  if (of.length === 0) return <span className="muted">none</span>;
  return (
    <ul className="chips">
      {of.map((name) => (
        <li key={name} className="chip">
          {showHidden(name)}
        </li>
      ))}
    </ul>
  );
}

const SHORT = { dateStyle: "medium", timeStyle: "short" } as const;
const PRECISE = {
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
} as const;

interface TimestampProps {
  at: string | null;
  never?: string;
  precise?: boolean;
}

export function Timestamp({ at, never = "never", precise }: TimestampProps) {
  if (at === null) return <span className="muted">{never}</span>;
  return (
    <time dateTime={at} title={at}>
      {formatTime(at, precise ? PRECISE : SHORT)}
    </time>
  );
}
