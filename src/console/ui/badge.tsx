/** Small marks: state with a word and a sign, capabilities, times, ids. Color never stands alone. */
import { Icon, type IconName } from "./icon.tsx";

export type Tone = "good" | "bad" | "warn" | "accent" | "plain";

export function Mark({ tone, icon, text }: { tone: Tone; icon?: IconName; text: string }) {
  return (
    <span className={`mark ${tone}`}>
      {icon && <Icon name={icon} />}
      {text}
    </span>
  );
}

export const OnOff = ({ on, words }: { on: boolean; words: [string, string] }) =>
  on ? (
    <Mark tone="good" icon="check" text={words[0]} />
  ) : (
    <Mark tone="plain" icon="minus" text={words[1]} />
  );

export const KeyState = ({ state }: { state: "active" | "expired" | "revoked" }) =>
  state === "active" ? (
    <Mark tone="good" icon="check" text="active" />
  ) : (
    <Mark tone={state === "revoked" ? "bad" : "warn"} icon="cross" text={state} />
  );

export const ModeMark = ({ mode }: { mode: "observe" | "enforce" }) =>
  mode === "enforce" ? (
    <Mark tone="good" icon="policy" text="enforce" />
  ) : (
    <Mark tone="warn" icon="search" text="observe" />
  );

export function Status({ code }: { code: number }) {
  if (code < 400) return <Mark tone="good" icon="check" text={String(code)} />;
  return <Mark tone={code < 500 ? "warn" : "bad"} icon="warning" text={String(code)} />;
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
          {name}
        </li>
      ))}
    </ul>
  );
}

const SHORT = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const PRECISE = new Intl.DateTimeFormat(undefined, {
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});

interface WhenProps {
  at: string | null;
  never?: string;
  precise?: boolean;
}

export function When({ at, never = "never", precise }: WhenProps) {
  if (at === null) return <span className="muted">{never}</span>;
  return (
    <time dateTime={at} title={at}>
      {(precise ? PRECISE : SHORT).format(new Date(at))}
    </time>
  );
}
