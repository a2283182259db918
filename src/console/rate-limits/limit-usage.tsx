/** Usage of rate limits by subject, highest first. */
import { useState } from "react";
import type { Gateway } from "../../contract/gateway/gateways.ts";
import type { LimitState, LimitType } from "../../contract/gateway/limits.ts";
import { call } from "../api.ts";
import { limits } from "../endpoints.ts";
import { changeQuery, Link, useLocation } from "../router.tsx";
import { useSession } from "../session.ts";
import { Timestamp } from "../ui/badge.tsx";
import { SelectField } from "../ui/fields/field.tsx";
import { List } from "../ui/list.tsx";
import type { Column } from "../ui/table.tsx";
import { describeLimits, LIMIT_LABELS } from "./describe-limits.ts";

type Row = LimitState & { id: string };

export function LimitUsage({ gateway }: { gateway: Gateway }) {
  const { may, confirm, announce } = useSession();
  const [note, setNote] = useState("");
  const type = useLocation().search.get("type") ?? "";
  const params = { gateway_id: gateway.id };
  const reset = ({ type: kind, subject }: Row) =>
    confirm({
      title: `Reset ${subject}?`,
      body: (
        <p>
          Resets its usage of the limit “{LIMIT_LABELS[kind]}” to 0. A block is kept: remove it
          under Blocks.
        </p>
      ),
      button: "Reset",
      run: async () => {
        await call(limits.reset, { params: { ...params, type: kind, subject } });
        announce(`The usage of ${subject} was reset.`);
      },
    });
  return (
    <>
      <List
        caption="Limit usage"
        what="The usage"
        search="Search subject"
        live="requests"
        filters={
          <SelectField
            label="Limit"
            value={type}
            options={[["", "All"], ...Object.entries(LIMIT_LABELS)]}
            onChange={(value) => changeQuery({ type: value })}
          />
        }
        load={async ({ q }, read) => {
          // The options of the select are the types; the server rejects others.
          const query = { search: q, type: type as LimitType };
          const state = await read(limits.state, { params, query });
          setNote(toNote(state));
          return { items: state.items.map(toRow), next_cursor: null };
        }}
        columns={may("write") ? [...COLUMNS, actionsColumn(reset)] : COLUMNS}
        empty={<NoUsage gateway={gateway} />}
      />
      <p className="hint below">{note}</p>
    </>
  );
}

const toRow = (state: LimitState): Row => ({
  ...state,
  id: `${state.type} ${state.window} ${state.subject}`,
});

function toNote({ note, complete }: { note: string | null; complete: boolean }): string {
  const more = complete ? "" : "Not all subjects were searched.";
  return `${note ?? ""} ${more}`.trim();
}

const COLUMNS: Column<Row>[] = [
  { head: "Subject", rowHeader: true, cell: ({ subject }) => <code>{subject}</code> },
  { head: "Limit", cell: ({ type }) => LIMIT_LABELS[type] },
  {
    head: "Used",
    cell: ({ used, limit, window }) => (
      <>
        {used} of {limit} in {window}
        <progress aria-hidden="true" value={used} max={limit} />
      </>
    ),
  },
  { head: "Remaining", number: true, cell: ({ remaining }) => remaining },
  { head: "Resets", cell: ({ reset_at }) => <Timestamp at={reset_at} never="—" precise /> },
];

const actionsColumn = (reset: (row: Row) => void): Column<Row> => ({
  head: "Actions",
  cell: (row) => (
    <button type="button" className="button small" onClick={() => reset(row)}>
      Reset
      <span className="visually-hidden">
        {" "}
        {row.subject}, {LIMIT_LABELS[row.type]}, {row.window}
      </span>
    </button>
  ),
});

const NoUsage = ({ gateway: { id, required_plugins } }: { gateway: Gateway }) =>
  describeLimits(required_plugins) ? (
    <p>No usage within the windows of the limits.</p>
  ) : (
    <p>
      This gateway has no rate limits.{" "}
      <Link to={`/gateways/${id}?tab=limits`}>Set rate limits</Link> first.
    </p>
  );
