/** Pauses and resumes a live list, and shows how many new events wait. */
import { Icon } from "../ui/icon.tsx";
import type { Tail } from "./use-tail.ts";

export function TailButton({ tail }: { tail: Tail<unknown> }) {
  const { isAvailable, isPaused, waiting, toggle } = tail;
  if (!isAvailable) return null;
  const count = waiting === undefined ? "50+ new" : waiting > 0 && `${waiting} new`;
  return (
    <button type="button" className="button" onClick={toggle}>
      <Icon name={isPaused ? "play" : "pause"} /> {isPaused ? "Resume" : "Pause"}
      {isPaused && count && <span className="count">{count}</span>}
    </button>
  );
}
