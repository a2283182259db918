/** New and changed tools that are held back until an administrator accepts them. */
import { useState } from "react";
import type { ToolChange } from "../../../contract/store/tools.ts";
import { showControls } from "../../../lib/text/show-controls.ts";
import { call } from "../../api.ts";
import { toolChanges } from "../../endpoints.ts";
import { readAllPages } from "../../read-all-pages.ts";
import { useSession } from "../../session.ts";
import { Chips, Timestamp } from "../../ui/badge.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Fact } from "../../ui/event-sheet.tsx";
import { FieldChanges } from "../../ui/field-changes.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Failure, Ready } from "../../ui/page.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { useAction } from "../../use-action.ts";
import { useLoad } from "../../use-load.ts";

export function HeldTools({ gateway_id }: { gateway_id: string }) {
  const [open, setOpen] = useState<ToolChange>();
  const loaded = useLoad(gateway_id, (read) =>
    readAllPages((query) => read(toolChanges.list, { params: { gateway_id }, query })),
  );
  return (
    <Ready of={loaded} what="The held tools">
      {(changes) =>
        changes.length > 0 && (
          <div className="above">
            <div className="note warn">
              <Icon name="warning" />
              <p>
                <strong>Tools are held back.</strong> They are new, or changed since they were
                accepted. A description can contain instructions for a model: read it first.
              </p>
            </div>
            <Table
              caption="Tools that are held back"
              columns={columns(setOpen)}
              rows={changes}
              empty=""
            />
            {open && (
              <ReviewSheet
                gateway_id={gateway_id}
                change={open}
                onClose={() => setOpen(undefined)}
              />
            )}
          </div>
        )
      }
    </Ready>
  );
}

const columns = (open: (change: ToolChange) => void): Column<ToolChange>[] => [
  {
    head: "Tool",
    rowHeader: true,
    cell: (change) => (
      <button type="button" className="link" onClick={() => open(change)}>
        <code>{showControls(change.tool)}</code>
        <span className="visually-hidden"> of {change.instance_name}</span>
      </button>
    ),
  },
  { head: "Instance", cell: ({ instance_name }) => instance_name },
  {
    head: "Changes",
    cell: ({ accepted, differs }) => <Chips of={accepted ? differs : ["new tool"]} />,
  },
  { head: "Detected", cell: ({ seen_at }) => <Timestamp at={seen_at} /> },
];

interface ReviewSheetProps {
  gateway_id: string;
  change: ToolChange;
  onClose: () => void;
}

function ReviewSheet({ gateway_id, change, onClose }: ReviewSheetProps) {
  const { may, announce } = useSession();
  const { id, tool, instance_name, accepted, now, hash } = change;
  const accept = useAction(async () => {
    await call(toolChanges.accept, { params: { gateway_id, tool_change_id: id }, query: { hash } });
    onClose();
    announce(`${tool} of ${instance_name} was accepted.`);
  });
  return (
    <Dialog
      title={`${showControls(tool)} of ${instance_name} ${accepted ? "changed" : "is new"}`}
      onClose={onClose}
      sheet
    >
      <dl className="facts">
        {change.accepted_at && (
          <>
            <Fact name="Accepted by" value={change.accepted_by} />
            <Fact name="Accepted" value={<Timestamp at={change.accepted_at} />} />
          </>
        )}
        <Fact name="Detected" value={<Timestamp at={change.seen_at} />} />
      </dl>
      <h3>{accepted ? "Changes" : "Definition"}</h3>
      <FieldChanges before={accepted} after={now} />
      <Failure title="The tool was not accepted." error={accept.error} />
      {may("write") && (
        <div className="form-end">
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button
            type="button"
            className="button primary"
            disabled={accept.busy}
            onClick={() => void accept.run()}
          >
            Accept
          </button>
        </div>
      )}
    </Dialog>
  );
}
