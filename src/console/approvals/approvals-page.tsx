/** Console → Approvals: what an `ask` verdict leaves for a person to decide. */
import type { Approval } from "../../contract/approvals.ts";
import { approvals } from "../endpoints.ts";
import { changeQuery, useLocation } from "../router.tsx";
import { Timestamp } from "../ui/badge.tsx";
import { DecisionBadge } from "../ui/decision-badge.tsx";
import { SelectField } from "../ui/field.tsx";
import { List } from "../ui/list.tsx";
import { Page } from "../ui/page.tsx";
import { RefreshButton } from "../ui/refresh-button.tsx";
import type { Column } from "../ui/table.tsx";
import { ApprovalSheet } from "./approval-sheet.tsx";

/** The first is meant when the address names none. */
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
  const given = search.get("status") ?? "";
  return (
    <Page
      title="Approvals"
      about="What the guard asks a person before it may pass."
      actions={<RefreshButton />}
    >
      <List
        caption="Approvals, newest first"
        what="The approvals"
        search="Search gate, consumer or tool"
        filters={
          <SelectField
            label="Status"
            value={given}
            options={STATUSES}
            onChange={(status) => changeQuery({ status, cursor: undefined })}
          />
        }
        load={({ q, cursor }, read) =>
          read(approvals.list, { params: {}, query: { q, cursor, ...narrowed(given) } })
        }
        columns={given ? [...COLUMNS, DECIDED] : COLUMNS}
        empty={
          <p>
            Nothing waits for a decision. A gate or rule with the action <code>ask</code> brings
            evaluations here.
          </p>
        }
      />
      {open && <ApprovalSheet approval_id={open} onClose={() => show(undefined)} />}
    </Page>
  );
}

/** Anybody can write an address: the server says which statuses it does not know. */
const narrowed = (given: string) =>
  given === "all" ? {} : { status: (given || "pending") as Approval["status"] };

const NONE = <span className="muted">none</span>;

const show = (id: string | undefined) => changeQuery({ open: id }, "replace");

const COLUMNS: Column<Approval>[] = [
  {
    head: "Asked",
    cell: ({ id, created_at }) => (
      <button type="button" className="link" onClick={() => show(id)}>
        <Timestamp at={created_at} precise />
      </button>
    ),
  },
  { head: "By", rowHeader: true, cell: ({ asked_by }) => asked_by },
  { head: "Consumer", cell: ({ consumer_id }) => consumer_id ?? NONE },
  { head: "Application", cell: ({ application }) => application ?? NONE },
  { head: "Tool", cell: ({ tool }) => tool ?? NONE },
  { head: "Status", cell: ({ status }) => <DecisionBadge state={status} /> },
  { head: "Until", cell: ({ expires_at }) => <Timestamp at={expires_at} precise /> },
];

const DECIDED: Column<Approval> = {
  head: "Decided by",
  cell: ({ decided_by }) => decided_by ?? NONE,
};
