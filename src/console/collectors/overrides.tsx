/** Policy overrides of a collector, by consumer_id. */
import { useState } from "react";
import { AppError } from "../../contract/errors.ts";
import type { Collector, Override } from "../../contract/guard/collectors.ts";
import type { Policy } from "../../contract/guard/policies.ts";
import { call } from "../api.ts";
import { collectors } from "../endpoints.ts";
import { PolicyPicker } from "../policies/policy-picker.tsx";
import { readAllPages } from "../read-all-pages.ts";
import { Link } from "../router.tsx";
import { useSession } from "../session.ts";
import { Timestamp } from "../ui/badge.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/fields/field.tsx";
import { findProblem } from "../ui/find-problem.ts";
import { Form } from "../ui/form.tsx";
import { Icon } from "../ui/icon.tsx";
import { List } from "../ui/list.tsx";
import { RowMenu } from "../ui/menu.tsx";
import type { Column } from "../ui/table.tsx";
import { useAction } from "../use-action.ts";

interface OverridesProps {
  collector: Collector;
  policies: readonly Policy[];
}

type Row = Override & { id: string };

export function Overrides({ collector, policies }: OverridesProps) {
  const { may, confirm, announce } = useSession();
  const [open, setOpen] = useState<"new" | Override>();
  const params = { collector_id: collector.id };
  const remove = ({ consumer_id }: Override) =>
    confirm({
      title: `Delete the override of ${consumer_id}?`,
      body: <p>The collector's own policy applies to this consumer_id again.</p>,
      button: "Delete override",
      run: async () => {
        await call(collectors.removeOverride, { params: { ...params, consumer: consumer_id } });
        announce(`The override of ${consumer_id} was deleted.`);
      },
    });
  const columns: Column<Row>[] = [
    {
      head: "consumer_id",
      sort: "consumer_id",
      rowHeader: true,
      cell: ({ consumer_id }) => <code>{consumer_id}</code>,
    },
    {
      head: "Policy",
      cell: ({ policy_id }) => (
        <Link to={`/policies/${policy_id}`}>
          {policies.find(({ id }) => id === policy_id)?.name ?? policy_id}
        </Link>
      ),
    },
    { head: "Version", cell: ({ policy_version }) => policy_version ?? "latest" },
    {
      head: "Created",
      sort: "created_at",
      cell: ({ created_at }) => <Timestamp at={created_at} />,
    },
    ...(may("write") ? [actionsColumn(setOpen, remove)] : []),
  ];
  return (
    <>
      <List
        caption={`Overrides of ${collector.name}`}
        what="The overrides"
        search="Search consumer_id"
        sorted="created_at"
        filters={
          may("write") && (
            <button type="button" className="button primary" onClick={() => setOpen("new")}>
              <Icon name="plus" /> New override
            </button>
          )
        }
        load={async (query, read) => {
          const page = await read(collectors.overrides, { params, query });
          return { ...page, items: page.items.map((row) => ({ ...row, id: row.consumer_id })) };
        }}
        columns={columns}
        empty={<p>No overrides. The collector's policy applies to every consumer_id.</p>}
      />
      {open && (
        <OverrideDialog
          override={open === "new" ? undefined : open}
          policies={policies}
          onClose={() => setOpen(undefined)}
          save={async (consumer, body) => {
            if (open === "new") await rejectDuplicate(params, consumer);
            await call(collectors.setOverride, { params: { ...params, consumer }, body });
            setOpen(undefined);
            announce("Saved.");
          }}
        />
      )}
    </>
  );
}

/** Rejects a new override that would replace another one. */
async function rejectDuplicate(params: { collector_id: string }, consumer: string): Promise<void> {
  // Maximum length of a search.
  const q = consumer.slice(0, 200);
  const matches = await readAllPages((query) =>
    call(collectors.overrides, { params, query: { ...query, q } }),
  );
  if (matches.some(({ consumer_id }) => consumer_id === consumer)) {
    throw new AppError("already_exists", "consumer_id: already has an override. Edit that one.");
  }
}

const actionsColumn = (
  edit: (override: Override) => void,
  remove: (override: Override) => void,
): Column<Row> => ({
  head: "Actions",
  cell: (row) => (
    <RowMenu
      of={row.consumer_id}
      items={[
        { text: "Edit…", onSelect: () => edit(row) },
        { text: "Delete…", danger: true, onSelect: () => remove(row) },
      ]}
    />
  ),
});

interface OverrideDialogProps {
  /** Undefined: a new override. */
  override: Override | undefined;
  policies: readonly Policy[];
  onClose: () => void;
  save: (
    consumer: string,
    body: { policy_id: string; policy_version: number | null },
  ) => Promise<void>;
}

function OverrideDialog({ override, policies, onClose, save }: OverrideDialogProps) {
  const [consumer, setConsumer] = useState(override?.consumer_id ?? "");
  const [picked, setPicked] = useState({
    policy_id: override?.policy_id ?? "",
    version: String(override?.policy_version ?? ""),
  });
  const action = useAction(() =>
    save(consumer, {
      policy_id: picked.policy_id,
      policy_version: picked.version ? Number(picked.version) : null,
    }),
  );
  const problem = (field: string) => findProblem(action.error, field);
  return (
    <Dialog title={override ? "Edit override" : "New override"} onClose={onClose}>
      <Form action={action} save={override ? "Save" : "Create override"} onCancel={onClose}>
        <TextField
          label="consumer_id"
          required
          disabled={override !== undefined}
          hint="As sent by the application with its evaluations."
          value={consumer}
          onChange={setConsumer}
          problem={problem("consumer_id")}
        />
        <PolicyPicker
          policies={policies}
          {...picked}
          onChange={setPicked}
          problems={{ policy: problem("policy_id"), version: problem("policy_version") }}
        />
      </Form>
    </Dialog>
  );
}
