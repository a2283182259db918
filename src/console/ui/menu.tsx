/** Button that opens a menu of actions, based on the browser's own popover. */
import { type KeyboardEvent, type ReactNode, useId } from "react";
import { Icon, type IconName } from "./icon.tsx";

export interface MenuItem {
  text: ReactNode;
  icon?: IconName;
  /** The action destroys something. */
  danger?: boolean;
  /** The reason why the action is not available. */
  disabled?: string | undefined;
  onSelect: () => void;
}

interface MenuProps {
  /** Accessible name of the button. */
  label: string;
  items: readonly MenuItem[];
  /** Content of the button; by default three dots. */
  children?: ReactNode;
  className?: string;
}

export function Menu({ label, items, children, className = "button" }: MenuProps) {
  const id = useId();
  return (
    <>
      <button
        type="button"
        className={className}
        popoverTarget={id}
        aria-haspopup="menu"
        aria-label={label}
        title={children ? undefined : label}
      >
        {children ?? <Icon name="more" />}
      </button>
      <div id={id} popover="auto" role="menu" className="popover menu" onKeyDown={moveFocus}>
        {items.map(({ text, icon, danger, disabled, onSelect }, index) => (
          <button
            // biome-ignore lint/suspicious/noArrayIndexKey: the items of a menu keep their order
            key={index}
            type="button"
            role="menuitem"
            ref={index === 0 ? focusOnOpen : undefined}
            tabIndex={-1}
            className={danger ? "danger" : undefined}
            aria-disabled={disabled ? true : undefined}
            popoverTarget={id}
            popoverTargetAction="hide"
            onClick={(event) => (disabled ? event.preventDefault() : onSelect())}
          >
            {icon && <Icon name={icon} />}
            <span>
              {text}
              {disabled && <span className="hint">{disabled}</span>}
            </span>
          </button>
        ))}
      </div>
    </>
  );
}

/** Menu of a row of a table. `of` names the row. */
export const RowMenu = ({ of, items }: { of: string; items: readonly MenuItem[] }) => (
  <Menu label={`Options of ${of}`} className="button small" items={items} />
);

/** The browser focuses this element when the popover opens; React's own autoFocus does not. */
const focusOnOpen = (item: HTMLElement | null): void => item?.setAttribute("autofocus", "");

const STEPS: Record<string, (at: number, count: number) => number> = {
  ArrowDown: (at, count) => (at + 1) % count,
  ArrowUp: (at, count) => (at + count - 1) % count,
  Home: () => 0,
  End: (_, count) => count - 1,
};

function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  if (event.key === "Tab") event.currentTarget.hidePopover();
  const step = STEPS[event.key];
  if (!step) return;
  event.preventDefault();
  const items = [...event.currentTarget.querySelectorAll("button")];
  const at = items.findIndex((item) => item.matches(":focus"));
  items[step(at, items.length)]?.focus();
}
