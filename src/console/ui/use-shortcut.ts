/** Runs an action when Ctrl or Command is pressed with a key, unless a dialog is open. */
import { useEffect, useEffectEvent } from "react";

export function useShortcut(key: string, action: () => void): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key.toLowerCase() !== key || !(event.ctrlKey || event.metaKey)) return;
    if (event.shiftKey || event.altKey || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    action();
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => onKey(event);
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, []);
}
