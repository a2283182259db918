/** Subjects blocked by a rate limit. */
import type { Gateway } from "../../contract/gateway/gateways.ts";
import type { Block } from "../../contract/gateway/limits.ts";
import { call } from "../api.ts";
import { limits } from "../endpoints.ts";
import { useSession } from "../session.ts";
import { Timestamp } from "../ui/badge.tsx";
import { List } from "../ui/list.tsx";
import type { Column } from "../ui/table.tsx";
import { LIMIT_LABELS } from "./describe-limits.ts";

type Row = Block & { id: string };

export function LimitBlocks({ gateway }: { gateway: Gateway }) {
  const { may, confirm, announce } = useSession();
  const params = { gateway_id: gateway.id };
  const unblock = ({ type, subject }: Row) =>
    confirm({
      title: `Unblock ${subject}?`,
      body: (
        <p>
          It can send requests again at once. It is blocked again if it exceeds the limit “
          {LIMIT_LABELS[type]}” again.
        </p>
      ),
      button: "Unblock",
      run: async () => {
        await call(limits.lift, { params: { ...params, type, subject } });
        announce(`${subject} was unblocked.`);
      },
    });
  return (
    <List
      caption="Blocks"
      what="The blocks"
      search="Search subject"
      load={async ({ q, cursor }, read) => {
        const page = await read(limits.blocks, { params, query: { q, cursor } });
        return { ...page, items: page.items.map(toRow) };
      }}
      columns={may("write") ? [...COLUMNS, actionsColumn(unblock)] : COLUMNS}
      empty={
        <p>
          No blocks. Subjects that exceed a rate limit with the action <code>block</code> appear
          here.
        </p>
      }
    />
  );
}

const toRow = (block: Block): Row => ({ ...block, id: `${block.type} ${block.subject}` });

const COLUMNS: Column<Row>[] = [
  { head: "Subject", rowHeader: true, cell: ({ subject }) => <code>{subject}</code> },
  { head: "Limit", cell: ({ type }) => LIMIT_LABELS[type] },
  { head: "Blocked", cell: ({ created_at }) => <Timestamp at={created_at} precise /> },
  {
    head: "Blocked until",
    cell: ({ ends_at }) => <Timestamp at={ends_at} never="unblocked manually" precise />,
  },
];

const actionsColumn = (unblock: (row: Row) => void): Column<Row> => ({
  head: "Actions",
  cell: (row) => (
    <button type="button" className="button small" onClick={() => unblock(row)}>
      Unblock
      <span className="visually-hidden">
        {" "}
        {row.subject}, {LIMIT_LABELS[row.type]}
      </span>
    </button>
  ),
});
