/** Theme and time zone of this browser. */
import { useSyncExternalStore } from "react";

export const THEMES = { system: "System", light: "Light", dark: "Dark" } as const;
export type Theme = keyof typeof THEMES;

export interface Preferences {
  theme: Theme;
  /** IANA name. Empty: the zone of the browser. */
  time_zone: string;
}

const STORAGE_KEY = "portcullis.preferences";
const DEFAULTS: Preferences = { theme: "system", time_zone: "" };

let current = readStored(localStorage.getItem(STORAGE_KEY));
applyTheme();

const readPreferences = (): Preferences => current;

export const usePreferences = (): Preferences => useSyncExternalStore(subscribe, readPreferences);

export function changePreferences(changes: Partial<Preferences>): void {
  current = { ...current, ...changes };
  localStorage.setItem(STORAGE_KEY, JSON.stringify(current));
  applyTheme();
  changed.dispatchEvent(new Event("changed"));
}

/** Returns the time zones that the browser knows, with UTC first. */
export const listTimeZones = (): string[] => [
  "UTC",
  ...Intl.supportedValuesOf("timeZone").filter((name) => name !== "UTC"),
];

/** Returns the zone in which times are shown. */
export const timeZone = (): string =>
  current.time_zone || new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Formats a time in the selected zone. */
export const formatTime = (time: Date | string, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat(undefined, { ...options, timeZone: timeZone() }).format(new Date(time));

/** Formats a range of times, with the date once if it is the same. */
export const formatTimeRange = (from: string, to: string): string =>
  new Intl.DateTimeFormat(undefined, {
    month: "short",
    day: "numeric",
    hour: "numeric",
    minute: "2-digit",
    timeZone: timeZone(),
  }).formatRange(new Date(from), new Date(to));

/** Formats the time of day, for "Updated at". */
export const formatTimeOfDay = (time: Date): string => formatTime(time, { timeStyle: "medium" });

const changed = new EventTarget();

function subscribe(onChange: () => void): () => void {
  const onStorage = ({ key, newValue }: StorageEvent) => {
    if (key !== STORAGE_KEY) return;
    current = readStored(newValue);
    applyTheme();
    onChange();
  };
  // Changes in this tab, and in others.
  changed.addEventListener("changed", onChange);
  addEventListener("storage", onStorage);
  return () => {
    changed.removeEventListener("changed", onChange);
    removeEventListener("storage", onStorage);
  };
}

/** Ignores values of another version, and time zones that this browser does not know. */
function readStored(text: string | null): Preferences {
  try {
    const { theme, time_zone } = { ...DEFAULTS, ...JSON.parse(text ?? "{}") };
    new Intl.DateTimeFormat(undefined, { timeZone: time_zone || "UTC" });
    return { theme: Object.hasOwn(THEMES, theme) ? theme : DEFAULTS.theme, time_zone };
  } catch {
    return DEFAULTS;
  }
}

function applyTheme(): void {
  document.documentElement.dataset.theme = current.theme;
}
