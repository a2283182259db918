/** Items of the inbox, with checkboxes for decisions about several. */
import type { InboxItem } from "../../contract/inbox.ts";
import { showControls } from "../../lib/text/show-controls.ts";
import { useSession } from "../session.ts";
import { Timestamp } from "../ui/badge.tsx";
import { DecisionBadge } from "../ui/decision-badge.tsx";
import { Icon } from "../ui/icon.tsx";

interface InboxListProps {
  items: readonly InboxItem[];
  open: string | undefined;
  onOpen: (id: string) => void;
  /** Undefined: the role may not decide. */
  checked: ReadonlySet<string> | undefined;
  onChecked: (checked: ReadonlySet<string>) => void;
}

const isDecidable = ({ state, own }: InboxItem): boolean => state === "pending" && !own;

export function InboxList({ items, open, onOpen, checked, onChecked }: InboxListProps) {
  const decidable = items.filter(isDecidable);
  const toggle = (id: string) => {
    const next = new Set(checked);
    if (!next.delete(id)) next.add(id);
    onChecked(next);
  };
  const all = decidable.map(({ id }) => id);
  const hasAll = checked !== undefined && all.every((id) => checked.has(id));
  return (
    <>
      {checked && decidable.length > 1 && (
        <label className="check select-all">
          <input
            type="checkbox"
            checked={hasAll}
            onChange={() => onChecked(new Set(hasAll ? [] : all))}
          />
          Select all {decidable.length}
        </label>
      )}
      <ul className="inbox-list" hidden={items.length === 0}>
        {items.map((item) => (
          <li key={item.id}>
            {checked && item.state === "pending" && (
              <input
                type="checkbox"
                aria-label={`Select ${titleOf(item)}`}
                title={item.own ? "Another person must decide your own request." : undefined}
                disabled={item.own}
                checked={checked.has(item.id)}
                onChange={() => toggle(item.id)}
              />
            )}
            <button type="button" aria-current={item.id === open} onClick={() => onOpen(item.id)}>
              <Summary item={item} />
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

function Summary({ item }: { item: InboxItem }) {
  const { gateways } = useSession();
  const gateway = gateways.find(({ id }) => id === item.gateway_id)?.name;
  const isStore = item.kind === "store_request";
  const detail = isStore ? item.reason : (item.requester ?? "no consumer");
  return (
    <>
      <span className="inbox-title">
        <Icon name={isStore ? "store" : "hand"} />
        <span className="visually-hidden">{isStore ? "Store request: " : "Evaluation: "}</span>
        <strong>{titleOf(item)}</strong>
        {item.state !== "pending" && <DecisionBadge state={item.state} />}
      </span>
      <span className="muted">
        {[detail, gateway, item.own && "your own request"].map(
          (text) => text && `${showControls(text)} · `,
        )}
        <Timestamp at={item.created_at} />
        {item.decided_by && ` · decided by ${showControls(item.decided_by)}`}
      </span>
    </>
  );
}

export const titleOf = ({ kind, subject, server_name, tool, requester }: InboxItem): string => {
  if (kind === "store_request")
    return showControls(`${requester} requests ${server_name ?? subject}`);
  return showControls(tool ? `${subject}: ${tool}` : subject);
};
