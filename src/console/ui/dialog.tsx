/** Modal dialog, based on the browser's own element, which traps and restores the focus. */
import { type ReactNode, useId, useLayoutEffect, useRef } from "react";
import { Icon } from "./icon.tsx";
import { showHidden } from "./show-hidden.ts";

interface DialogProps {
  title: string;
  children: ReactNode;
  /** Undefined: only a button in the dialog closes it. */
  onClose?: () => void;
  /** Shown at the side instead of in the center. */
  sheet?: boolean;
}

export function Dialog({ title, children, onClose, sheet }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // Focusing the first field may have scrolled the heading away.
    if (element) element.scrollTop = 0;
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className={sheet ? "sheet" : "box"}
      aria-labelledby={heading}
      closedby={onClose ? "any" : "none"}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
      onKeyDown={(event) => {
        // Browsers without closedby close a dialog on the second Escape.
        if (event.key === "Escape" && !onClose) event.preventDefault();
      }}
    >
      <div className="dialog-body">
        <h2 id={heading}>{showHidden(title)}</h2>
        {children}
        {/* Last, so that the content gets the initial focus. */}
        {onClose && (
          <button type="button" className="button quiet close" onClick={onClose} aria-label="Close">
            <Icon name="cross" />
          </button>
        )}
      </div>
    </dialog>
  );
}
