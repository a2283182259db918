/** The versions of a policy: what each changed, and the way back to it. */
import { useState } from "react";
import type { Policy, PolicyVersion } from "../../contract/policies.ts";
import { call } from "../api.ts";
import { policies } from "../endpoints.ts";
import { useSession } from "../session.ts";
import { Badge, Timestamp } from "../ui/badge.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { SelectField } from "../ui/field.tsx";
import { ChangesTable } from "../ui/field-changes.tsx";
import { List } from "../ui/list.tsx";
import { Ready } from "../ui/page.tsx";
import type { Column } from "../ui/table.tsx";
import { useLoad } from "../use-load.ts";

interface PolicyHistoryProps {
  policy: Policy;
  /** Something was typed that a restore would lose. */
  unsaved: boolean;
  onRestored: () => void;
}

type Row = PolicyVersion & { id: string };

export function PolicyHistory({ policy, unsaved, onRestored }: PolicyHistoryProps) {
  const { may, confirm, announce } = useSession();
  const [open, setOpen] = useState<PolicyVersion>();
  const restore = ({ number }: PolicyVersion) =>
    confirm({
      title: `Restore version ${number}?`,
      body: (
        <p>
          It is saved again as the newest version, and judges at once wherever no version is pinned.
          Its rules use the detectors as they are today. Version {policy.version} stays in this
          list.{unsaved && " The unsaved changes on this page are lost."}
        </p>
      ),
      button: "Restore version",
      run: async () => {
        const params = { policy_id: policy.id, number: String(number) };
        const { version } = await call(policies.restore, { params });
        announce(`Version ${number} was restored as version ${version}.`);
        onRestored();
      },
    });
  const columns: Column<Row>[] = [
    {
      head: "Version",
      rowHeader: true,
      cell: ({ number }) => (
        <>
          {number} {number === policy.version && <Badge tone="good" icon="check" text="newest" />}
        </>
      ),
    },
    { head: "Saved", cell: ({ created_at }) => <Timestamp at={created_at} precise /> },
    { head: "Who", cell: ({ actor }) => actor },
    { head: "Why", cell: ({ reason }) => reason },
    {
      head: "Actions",
      cell: (version) => (
        <div className="row tight">
          {version.number > 1 && (
            <button type="button" className="button small" onClick={() => setOpen(version)}>
              Changes<span className="visually-hidden"> of version {version.number}</span>
            </button>
          )}
          {may("write") && version.number !== policy.version && (
            <button type="button" className="button small" onClick={() => restore(version)}>
              Restore<span className="visually-hidden"> version {version.number}</span>
            </button>
          )}
        </div>
      ),
    },
  ];
  return (
    <>
      <List
        caption={`Versions of ${policy.name}, newest first`}
        what="The versions"
        load={async ({ cursor }, read) => {
          const params = { policy_id: policy.id };
          const page = await read(policies.versions, { params, query: { cursor } });
          return { ...page, items: page.items.map((row) => ({ ...row, id: `${row.number}` })) };
        }}
        columns={columns}
        empty={<p>No version was saved yet.</p>}
      />
      {open && <Changes policy={policy} version={open} onClose={() => setOpen(undefined)} />}
    </>
  );
}

interface ChangesProps {
  policy: Policy;
  version: PolicyVersion;
  onClose: () => void;
}

function Changes({ policy, version: { number }, onClose }: ChangesProps) {
  const [from, setFrom] = useState(number - 1);
  const others = Array.from({ length: policy.version }, (_, index) => policy.version - index);
  const loaded = useLoad(String(from), (read) =>
    read(policies.diff, {
      params: { policy_id: policy.id, number: String(number) },
      query: { from },
    }),
  );
  return (
    <Dialog title={`Changes of version ${number}`} onClose={onClose} sheet>
      <SelectField
        label="Compared with version"
        value={String(from)}
        options={others
          .filter((other) => other !== number)
          .map((other) => [String(other), String(other)])}
        onChange={(other) => setFrom(Number(other))}
      />
      <Ready of={loaded} what="The changes">
        {({ changes }) => (
          <ChangesTable
            changes={changes.map(({ path, before, after }) => ({
              name: path,
              before: shown(before),
              after: shown(after),
            }))}
          />
        )}
      </Ready>
    </Dialog>
  );
}

const shown = (value: unknown): string | undefined =>
  value === null
    ? undefined
    : typeof value === "string" && value
      ? value
      : JSON.stringify(value, null, 2);
