/** Reads everything that is on the screen again. */
import { events } from "../api.ts";
import { Icon } from "./icon.tsx";

export const RefreshButton = () => (
  <button
    type="button"
    className="button"
    onClick={() => events.dispatchEvent(new Event("changed"))}
  >
    <Icon name="reload" /> Refresh
  </button>
);
