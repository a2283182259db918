/** Console → Approvals: evaluations with the verdict `ask`, which a person decides. */
import type { Approval } from "../../contract/guard/approvals.ts";
import { approvals } from "../endpoints.ts";
import { changeQuery, useLocation } from "../router.tsx";
import { Timestamp } from "../ui/badge.tsx";
import { DecisionBadge } from "../ui/decision-badge.tsx";
import { SelectField } from "../ui/field.tsx";
import { List } from "../ui/list.tsx";
import { Page, RefreshButton } from "../ui/page.tsx";
import type { Column } from "../ui/table.tsx";
import { ApprovalSheet } from "./approval-sheet.tsx";

/** The first is the default. */
const STATUSES = [
  ["", "Pending"],
  ["approved", "Approved"],
  ["denied", "Denied"],
  ["expired", "Expired"],
  ["all", "All"],
] as const;

export function ApprovalsPage() {
  const { search } = useLocation();
  const open = search.get("open");
  const status = search.get("status") ?? "";
  return (
    <Page
      title="Approvals"
      about="Evaluations that a person must approve."
      actions={<RefreshButton />}
    >
      <List
        live="approvals"
        caption="Approvals, newest first"
        what="The approvals"
        search="Search gate, consumer or tool"
        filters={
          <SelectField
            label="Status"
            value={status}
            options={STATUSES}
            onChange={(value) => changeQuery({ status: value, cursor: undefined })}
          />
        }
        load={({ q, cursor }, read) =>
          read(approvals.list, { params: {}, query: { q, cursor, ...toStatusQuery(status) } })
        }
        columns={status ? [...COLUMNS, DECIDED] : COLUMNS}
        empty={
          <p>
            No pending approvals. Evaluations appear here when a gate or rule has the action{" "}
            <code>ask</code>.
          </p>
        }
      />
      {open && <ApprovalSheet approval_id={open} onClose={() => show(undefined)} />}
    </Page>
  );
}

/** The server rejects unknown statuses. */
const toStatusQuery = (status: string) =>
  status === "all" ? {} : { status: (status || "pending") as Approval["status"] };

const NONE = <span className="muted">none</span>;

const show = (id: string | undefined) => changeQuery({ open: id }, "replace");

const COLUMNS: Column<Approval>[] = [
  {
    head: "Requested",
    cell: ({ id, created_at }) => (
      <button type="button" className="link" onClick={() => show(id)}>
        <Timestamp at={created_at} precise />
      </button>
    ),
  },
  { head: "Triggered by", rowHeader: true, cell: ({ asked_by }) => asked_by },
  { head: "Consumer", cell: ({ consumer_id }) => consumer_id ?? NONE },
  { head: "Application", cell: ({ application }) => application ?? NONE },
  { head: "Tool", cell: ({ tool }) => tool ?? NONE },
  { head: "Status", cell: ({ status }) => <DecisionBadge state={status} /> },
  { head: "Expires", cell: ({ expires_at }) => <Timestamp at={expires_at} precise /> },
];

const DECIDED: Column<Approval> = {
  head: "Decided by",
  cell: ({ decided_by }) => decided_by ?? NONE,
};
