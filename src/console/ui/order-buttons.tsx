/** Up, down and away, for one entry of a list in order: by keyboard too, and said aloud. */
import { useSession } from "../session.ts";
import { Icon } from "./icon.tsx";

interface OrderButtonsProps {
  name: string;
  place: { index: number; count: number };
  onMove: (by: 1 | -1) => void;
  onRemove: () => void;
  /** The word for taking it away. */
  away?: string;
}

export function OrderButtons({
  name,
  place,
  onMove,
  onRemove,
  away = "Remove",
}: OrderButtonsProps) {
  const { announce } = useSession();
  const { index, count } = place;
  const move = (by: 1 | -1) => {
    if (index + by < 0 || index + by >= count) return;
    onMove(by);
    announce(`${name} is now ${index + by + 1} of ${count}.`);
  };
  return (
    <div className="attached-acts">
      {/* Not disabled at the end of the list: that would take the focus away. */}
      <button
        type="button"
        className="button quiet"
        aria-label={`Move ${name} up`}
        aria-disabled={index === 0}
        onClick={() => move(-1)}
      >
        <Icon name="up" />
      </button>
      <button
        type="button"
        className="button quiet"
        aria-label={`Move ${name} down`}
        aria-disabled={index === count - 1}
        onClick={() => move(1)}
      >
        <Icon name="down" />
      </button>
      <button
        type="button"
        className="button quiet"
        aria-label={`${away} ${name}`}
        onClick={onRemove}
      >
        <Icon name="cross" />
      </button>
    </div>
  );
}

export function moveItem<Item>(list: readonly Item[], from: number, by: 1 | -1): Item[] {
  const rest = list.filter((_, index) => index !== from);
  return [...rest.slice(0, from + by), ...list.slice(from, from + 1), ...rest.slice(from + by)];
}
