/** Versions of a policy: their changes, and a button to restore each. */
import { useState } from "react";
import type { Policy, PolicyVersion } from "../../contract/guard/policies.ts";
import { call } from "../api.ts";
import { policies } from "../endpoints.ts";
import { useSession } from "../session.ts";
import { Badge, Timestamp } from "../ui/badge.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ChangesTable } from "../ui/field-changes.tsx";
import { SelectField } from "../ui/fields/field.tsx";
import { List } from "../ui/list.tsx";
import { Ready } from "../ui/page.tsx";
import type { Column } from "../ui/table.tsx";
import { useLoad } from "../use-load.ts";
import { describeChanges } from "./describe-changes.ts";

interface PolicyHistoryProps {
  policy: Policy;
  /** There are changes that a restore would discard. */
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
          Saves it as the latest version, which applies at once wherever no version is pinned. Its
          rules use the detectors as they are today. Version {policy.version} is kept.
          {unsaved && " Your unsaved changes are discarded."}
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
          {number} {number === policy.version && <Badge tone="good" icon="check" text="latest" />}
        </>
      ),
    },
    { head: "Saved", cell: ({ created_at }) => <Timestamp at={created_at} precise /> },
    { head: "Actor", cell: ({ actor }) => actor },
    {
      head: "Note",
      cell: ({ reason, note }) => note || <span className="muted">{reason}</span>,
    },
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
        empty={<p>No versions yet.</p>}
      />
      {open && <ChangesSheet policy={policy} version={open} onClose={() => setOpen(undefined)} />}
    </>
  );
}

interface ChangesSheetProps {
  policy: Policy;
  version: PolicyVersion;
  onClose: () => void;
}

function ChangesSheet({ policy, version: { number, note }, onClose }: ChangesSheetProps) {
  const [from, setFrom] = useState(number - 1);
  const others = Array.from({ length: policy.version }, (_, index) => policy.version - index);
  const loaded = useLoad(String(from), async (read) => {
    const policy_id = policy.id;
    const versionOf = (other: number) =>
      read(policies.version, { params: { policy_id, number: String(other) } });
    const [before, after, { changes }] = await Promise.all([
      versionOf(from),
      versionOf(number),
      read(policies.diff, { params: { policy_id, number: String(number) }, query: { from } }),
    ]);
    return { texts: describeChanges(before.document, after.document), changes };
  });
  return (
    <Dialog title={`Changes of version ${number}`} onClose={onClose} sheet>
      {note && <p className="prose">{note}</p>}
      <SelectField
        label="Compare with version"
        value={String(from)}
        options={others
          .filter((other) => other !== number)
          .map((other) => [String(other), String(other)])}
        onChange={(other) => setFrom(Number(other))}
      />
      <Ready of={loaded} what="The changes">
        {({ texts, changes }) => (
          <>
            <ul className="change-texts">
              {texts.map((text) => (
                <li key={text}>{text}</li>
              ))}
            </ul>
            {texts.length === 0 && <p className="muted">Nothing changed.</p>}
            {changes.length > 0 && (
              <details className="advanced">
                <summary>Fields</summary>
                <ChangesTable
                  changes={changes.map(({ path, before, after }) => ({
                    name: path,
                    before: formatValue(before),
                    after: formatValue(after),
                  }))}
                />
              </details>
            )}
          </>
        )}
      </Ready>
    </Dialog>
  );
}

const formatValue = (value: unknown): string | undefined =>
  value === null
    ? undefined
    : typeof value === "string" && value
      ? value
      : JSON.stringify(value, null, 2);
