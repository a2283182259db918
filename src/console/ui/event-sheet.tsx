/** One event of a list, beside it: the neighbours are one key or one click away. */
import { type ReactNode, useEffect, useEffectEvent } from "react";
import { changeQuery } from "../router.tsx";
import { Dialog } from "./dialog.tsx";
import { Icon } from "./icon.tsx";

/** Where the event stands in the list as it is filtered. */
export interface SheetNavigation {
  onClose: () => void;
  newer: (() => void) | undefined;
  older: (() => void) | undefined;
}

interface EventSheetProps extends SheetNavigation {
  title: string;
  children: ReactNode;
}

export function EventSheet({ title, newer, older, onClose, children }: EventSheetProps) {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    // In a field or a scrolled text the arrows have their own work.
    if (event.target instanceof Element && event.target.closest("input, select, section")) return;
    if (event.key === "ArrowLeft") newer?.();
    if (event.key === "ArrowRight") older?.();
  });
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => onKey(event);
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
  return (
    <Dialog title={title} onClose={onClose} sheet>
      <div className="row tight">
        <button
          type="button"
          className="button small"
          aria-keyshortcuts="ArrowLeft"
          title="Left arrow key"
          disabled={!newer}
          onClick={newer}
        >
          <Icon name="back" /> Newer
        </button>
        <button
          type="button"
          className="button small"
          aria-keyshortcuts="ArrowRight"
          title="Right arrow key"
          disabled={!older}
          onClick={older}
        >
          <Icon name="forward" /> Older
        </button>
      </div>
      {children}
    </Dialog>
  );
}

interface FactProps {
  name: string;
  value: ReactNode;
  filter?: readonly [name: string, value: string | null];
}

/** A line of `<dl className="facts">`; with `filter`, the list can be narrowed to it. */
export function Fact({ name, value, filter }: FactProps) {
  const [member, wanted] = filter ?? [];
  return (
    <>
      <dt>{name}</dt>
      <dd>
        {value ?? <span className="muted">none</span>}
        {member && wanted && (
          <button
            type="button"
            className="link small"
            onClick={() => changeQuery({ [member]: wanted, open: undefined })}
          >
            Filter<span className="visually-hidden"> by this {name.toLowerCase()}</span>
          </button>
        )}
      </dd>
    </>
  );
}
