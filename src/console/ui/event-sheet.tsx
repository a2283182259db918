/** Details of one event beside its list, with buttons and arrow keys for newer and older events. */
import { type ReactNode, useEffect, useEffectEvent } from "react";
import { changeQuery } from "../router.tsx";
import { Dialog } from "./dialog.tsx";
import { Icon } from "./icon.tsx";
import { showHidden } from "./show-hidden.ts";

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
    // Fields and scrollable text use the arrow keys themselves.
    if (event.target instanceof Element && event.target.closest("input, select, section")) return;
    if (event.key === "ArrowLeft") newer?.();
    if (event.key === "ArrowRight") older?.();
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => onKey(event);
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
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

/** Row of `<dl className="facts">`; with `filter`, a button filters the list by its value. */
export function Fact({ name, value, filter }: FactProps) {
  const [parameter, filterValue] = filter ?? [];
  return (
    <>
      <dt>{showHidden(name)}</dt>
      <dd>
        {showHidden(value) ?? <span className="muted">none</span>}
        {parameter && filterValue && (
          <button
            type="button"
            className="link small"
            onClick={() => changeQuery({ [parameter]: filterValue, open: undefined })}
          >
            Filter<span className="visually-hidden"> by this {name.toLowerCase()}</span>
          </button>
        )}
      </dd>
    </>
  );
}
