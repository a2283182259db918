/** A dialog of the browser's own kind: it keeps the focus inside and gives it back afterwards. */
import { type ReactNode, useId, useLayoutEffect, useRef } from "react";
import { Icon } from "./icon.tsx";

interface DialogProps {
  title: string;
  children: ReactNode;
  /** Left out: nothing but the dialog's own button ends it. */
  onClose?: () => void;
  /** At the side instead of in the middle. */
  sheet?: boolean;
}

export function Dialog({ title, children, onClose, sheet }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // The focus may begin far below; what it is about stands above.
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
        // Browsers without closedby end a dialog at the second Escape, even if the first was refused.
        if (event.key === "Escape" && !onClose) event.preventDefault();
      }}
    >
      <div className="dialog-body">
        <h2 id={heading}>{title}</h2>
        {children}
        {/* Last, so that the focus begins at what the dialog is about. */}
        {onClose && (
          <button type="button" className="button quiet close" onClick={onClose} aria-label="Close">
            <Icon name="cross" />
          </button>
        )}
      </div>
    </dialog>
  );
}
