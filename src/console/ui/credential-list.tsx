/** The keys that something holds: made and shown once, replaced with an overlap, revoked. */
import { type ReactNode, useState } from "react";
import type { ConsumerKey } from "../../contract/consumer-keys.ts";
import type { Reader } from "../api.ts";
import { type NewSecret, useSession } from "../session.ts";
import { useAction } from "../use-load.ts";
import { KeyStateBadge, Timestamp } from "./badge.tsx";
import { Dialog } from "./dialog.tsx";
import { ExpiryField } from "./expiry-field.tsx";
import { SelectField, TextField } from "./field.tsx";
import { Form, findProblem } from "./form.tsx";
import { Icon } from "./icon.tsx";
import { List, type ListQuery } from "./list.tsx";
import type { Column } from "./table.tsx";

/** What keys of every holder have. */
export type Key = Omit<ConsumerKey, "consumer_id">;

interface KeysProps {
  /** What one is called: "key". */
  one: string;
  caption: string;
  empty: ReactNode;
  /** What happens to those who still send a revoked one. */
  revoking: string;
  /** More columns, after the name. */
  columns?: readonly Column<Key>[];
  list: (query: ListQuery, read: Reader) => Promise<{ items: Key[]; next_cursor: string | null }>;
  create: (body: { name: string; expires_at: string | null }) => Promise<NewSecret>;
  rotate: (key_id: string, overlap_s: number) => Promise<NewSecret>;
  revoke: (key_id: string) => Promise<unknown>;
}

export function Keys(props: KeysProps) {
  const { one, caption, empty, revoking, list } = props;
  const { may, confirm, showSecret, announce } = useSession();
  const [open, setOpen] = useState<"new" | Key>();
  const close = () => setOpen(undefined);
  const show = (revealed: NewSecret) => {
    close();
    showSecret(revealed);
  };
  const revoke = ({ id, name, hint }: Key) =>
    confirm({
      title: `Revoke ${name}?`,
      body: (
        <p>
          The {one} <code>{hint}</code> stops working at once. {revoking} To replace it without a
          gap, rotate it instead. This cannot be undone.
        </p>
      ),
      button: `Revoke ${one}`,
      run: async () => {
        await props.revoke(id);
        announce(`${capital(one)} ${name} was revoked.`);
      },
    });
  const columns: Column<Key>[] = [
    { head: "Name", sort: "name", rowHeader: true, cell: ({ name }) => name },
    ...(props.columns ?? []),
    { head: "Begins with", cell: ({ hint }) => <code>{hint}</code> },
    { head: "State", cell: ({ state }) => <KeyStateBadge state={state} /> },
    {
      head: "Created",
      sort: "created_at",
      cell: ({ created_at }) => <Timestamp at={created_at} />,
    },
    { head: "Last used", cell: ({ last_used_at }) => <Timestamp at={last_used_at} /> },
    { head: "Expires", cell: ({ expires_at }) => <Timestamp at={expires_at} /> },
    ...(may("write") ? [acts(setOpen, revoke)] : []),
  ];
  return (
    <>
      <List
        caption={caption}
        what={`The ${one}s`}
        search="Search name"
        sorted="created_at"
        filters={
          may("write") && (
            <button type="button" className="button primary" onClick={() => setOpen("new")}>
              <Icon name="plus" /> New {one}
            </button>
          )
        }
        load={list}
        columns={columns}
        empty={empty}
      />
      {open === "new" && (
        <NewKey one={one} onClose={close} make={async (body) => show(await props.create(body))} />
      )}
      {open && open !== "new" && (
        <Rotate
          one={one}
          old={open}
          onClose={close}
          rotate={async (overlap_s) => show(await props.rotate(open.id, overlap_s))}
        />
      )}
    </>
  );
}

const acts = (rotate: (key: Key) => void, revoke: (key: Key) => void): Column<Key> => ({
  head: "Actions",
  cell: (key) =>
    key.state === "active" && (
      <div className="row tight">
        <button type="button" className="button small" onClick={() => rotate(key)}>
          Rotate<span className="visually-hidden"> {key.name}</span>
        </button>
        <button type="button" className="button small" onClick={() => revoke(key)}>
          Revoke<span className="visually-hidden"> {key.name}</span>
        </button>
      </div>
    ),
});

interface NewKeyProps {
  one: string;
  onClose: () => void;
  make: (body: { name: string; expires_at: string | null }) => Promise<void>;
}

function NewKey({ one, onClose, make }: NewKeyProps) {
  const [name, setName] = useState("");
  const [expires_at, setExpiry] = useState<string | null>(null);
  const action = useAction(() => make({ name, expires_at }));
  return (
    <Dialog title={`New ${one}`} onClose={onClose}>
      <Form action={action} save={`Create ${one}`} onCancel={onClose}>
        <TextField
          label="Name"
          required
          value={name}
          onChange={setName}
          hint="Where it is used, to recognize it by."
          problem={findProblem(action.error, "name")}
        />
        <ExpiryField onChange={setExpiry} />
      </Form>
    </Dialog>
  );
}

const OVERLAPS = [
  ["0", "not at all"],
  ["3600", "for one more hour"],
  ["86400", "for one more day"],
  ["604800", "for 7 more days"],
  ["2592000", "for 30 more days"],
] as const;

interface RotateProps {
  one: string;
  old: Key;
  onClose: () => void;
  rotate: (overlap_s: number) => Promise<void>;
}

function Rotate({ one, old, onClose, rotate }: RotateProps) {
  const [overlap, setOverlap] = useState("86400");
  const action = useAction(() => rotate(Number(overlap)));
  return (
    <Dialog title={`Rotate ${old.name}`} onClose={onClose}>
      <Form action={action} save={`Rotate ${one}`} onCancel={onClose}>
        <p className="prose">
          A new {one} takes the place of <code>{old.hint}</code>.
        </p>
        <SelectField
          label={`The old ${one} works`}
          value={overlap}
          options={OVERLAPS}
          onChange={setOverlap}
        />
      </Form>
    </Dialog>
  );
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
