/** Who has used most of a rate limit, read from the counters that enforce it. */
import { useState } from "react";
import type { Gateway } from "../../contract/gateways.ts";
import type { LimitState, LimitType } from "../../contract/limits.ts";
import { call } from "../api.ts";
import { limits } from "../endpoints.ts";
import { changeQuery, Link, useLocation } from "../router.tsx";
import { useSession } from "../session.ts";
import { Timestamp } from "../ui/badge.tsx";
import { SelectField } from "../ui/field.tsx";
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
          What it has used of the limit “{LIMIT_LABELS[kind]}” is forgotten, so it may send the
          whole of it again at once. A block stays: lift it under Blocks.
        </p>
      ),
      button: "Reset",
      run: async () => {
        await call(limits.reset, { params: { ...params, type: kind, subject } });
        announce(`${subject} begins anew.`);
      },
    });
  return (
    <>
      <List
        caption="Limit usage"
        what="The usage"
        search="Search subject"
        filters={
          <SelectField
            label="Limit"
            value={type}
            options={[["", "All"], ...Object.entries(LIMIT_LABELS)]}
            onChange={(chosen) => changeQuery({ type: chosen })}
          />
        }
        load={async ({ q }, read) => {
          // The options of the select are the types; another one in the address is refused.
          const query = { search: q, type: type as LimitType };
          const told = await read(limits.state, { params, query });
          setNote(noteOf(told));
          return { items: told.items.map(rowOf), next_cursor: null };
        }}
        columns={may("write") ? [...COLUMNS, acts(reset)] : COLUMNS}
        empty={<Nothing gateway={gateway} />}
      />
      <p className="hint below">{note}</p>
    </>
  );
}

const rowOf = (state: LimitState): Row => ({
  ...state,
  id: `${state.type} ${state.window} ${state.subject}`,
});

function noteOf({ note, complete }: { note: string | null; complete: boolean }): string {
  const more = complete ? "" : "There are more subjects than were looked through.";
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
  { head: "Next one frees", cell: ({ reset_at }) => <Timestamp at={reset_at} never="—" precise /> },
];

const acts = (reset: (row: Row) => void): Column<Row> => ({
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

const Nothing = ({ gateway: { id, required_plugins } }: { gateway: Gateway }) =>
  describeLimits(required_plugins) ? (
    <p>Nobody has sent a request within the windows of the limits. Whoever does comes here.</p>
  ) : (
    <p>
      Nothing is limited, so nothing is counted.{" "}
      <Link to={`/gateways/${id}?tab=limits`}>Set rate limits</Link> first.
    </p>
  );
