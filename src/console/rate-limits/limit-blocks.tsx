/** Whom has a rate limit blocked, and until when? */
import type { Gateway } from "../../contract/gateways.ts";
import type { Block } from "../../contract/limits.ts";
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
  const lift = ({ type, subject }: Row) =>
    confirm({
      title: `Lift the block of ${subject}?`,
      body: (
        <p>
          It may send requests again at once. When it exceeds the limit “{LIMIT_LABELS[type]}”
          again, it is blocked again.
        </p>
      ),
      button: "Lift block",
      run: async () => {
        await call(limits.lift, { params: { ...params, type, subject } });
        announce(`The block of ${subject} was lifted.`);
      },
    });
  return (
    <List
      caption="Blocks"
      what="The blocks"
      search="Search subject"
      load={async ({ q, cursor }, read) => {
        const page = await read(limits.blocks, { params, query: { q, cursor } });
        return { ...page, items: page.items.map(rowOf) };
      }}
      columns={may("write") ? [...COLUMNS, acts(lift)] : COLUMNS}
      empty={
        <p>
          Nobody is blocked. Whoever exceeds a rate limit whose action is <code>block</code> comes
          here.
        </p>
      }
    />
  );
}

const rowOf = (block: Block): Row => ({ ...block, id: `${block.type} ${block.subject}` });

const COLUMNS: Column<Row>[] = [
  { head: "Subject", rowHeader: true, cell: ({ subject }) => <code>{subject}</code> },
  { head: "Limit", cell: ({ type }) => LIMIT_LABELS[type] },
  { head: "Blocked", cell: ({ created_at }) => <Timestamp at={created_at} precise /> },
  { head: "Until", cell: ({ ends_at }) => <Timestamp at={ends_at} never="it is lifted" precise /> },
];

const acts = (lift: (row: Row) => void): Column<Row> => ({
  head: "Actions",
  cell: (row) => (
    <button type="button" className="button small" onClick={() => lift(row)}>
      Lift
      <span className="visually-hidden">
        {" "}
        the block of {row.subject}, {LIMIT_LABELS[row.type]}
      </span>
    </button>
  ),
});
