/** Buttons that move or remove an entry of an ordered list, and announce its position. */
import { useSession } from "../session.ts";
import { Icon } from "./icon.tsx";

interface OrderButtonsProps {
  name: string;
  position: { index: number; count: number };
  onMove: (by: 1 | -1) => void;
  onRemove: () => void;
  /** Label of the remove button. */
  removeLabel?: string;
}

export function OrderButtons({
  name,
  position,
  onMove,
  onRemove,
  removeLabel = "Remove",
}: OrderButtonsProps) {
  const { announce } = useSession();
  const { index, count } = position;
  const move = (by: 1 | -1) => {
    if (index + by < 0 || index + by >= count) return;
    onMove(by);
    announce(`${name} is now ${index + by + 1} of ${count}.`);
  };
  return (
    <div className="attached-acts">
      {/* aria-disabled keeps the focus at the end of the list. */}
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
        aria-label={`${removeLabel} ${name}`}
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
