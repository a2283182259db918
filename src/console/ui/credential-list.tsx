/** List of keys or tokens: creates them, shows each secret once, rotates and revokes them. */
import { type ReactNode, useState } from "react";
import type { AppError } from "../../contract/errors.ts";
import type { Reader } from "../api.ts";
import { type NewSecret, useSession } from "../session.ts";
import { useAction } from "../use-action.ts";
import { KeyStateBadge, Timestamp } from "./badge.tsx";
import { Dialog } from "./dialog.tsx";
import { ExpiryField } from "./fields/expiry-field.tsx";
import { SelectField, TextField } from "./fields/field.tsx";
import { findProblem } from "./find-problem.ts";
import { Form } from "./form.tsx";
import { Icon } from "./icon.tsx";
import { List, type ListQuery } from "./list.tsx";
import { RowMenu } from "./menu.tsx";
import type { Column } from "./table.tsx";
import { capitalize } from "./text.ts";

export interface Credential {
  id: string;
  name: string;
  hint: string;
  state: "active" | "expired" | "revoked";
  created_at: string;
  last_used_at: string | null;
  expires_at: string | null;
}

interface CredentialListProps<Item extends Credential, Extra extends object> {
  /** In the middle of a sentence: "key". */
  noun: string;
  caption: string;
  search?: string;
  empty: ReactNode;
  /** Describes the effect of revoking one, in a full sentence. */
  revokeEffect: string;
  /** Additional columns, after the name. */
  columns?: readonly Column<Item>[];
  /** Additional fields of the creation dialog. */
  extra?: ExtraFields<Extra>;
  list: (query: ListQuery, read: Reader) => Promise<{ items: Item[]; next_cursor: string | null }>;
  create: (body: NewCredential & Extra) => Promise<NewSecret>;
  rotate?: (id: string, overlap_s: number) => Promise<NewSecret>;
  revoke: (id: string) => Promise<unknown>;
}

interface NewCredential {
  name: string;
  expires_at: string | null;
}

interface ExtraFields<Extra> {
  initial: Extra;
  render: (props: {
    value: Extra;
    onChange: (value: Extra) => void;
    error: AppError | undefined;
  }) => ReactNode;
}

export function CredentialList<Item extends Credential, Extra extends object>(
  props: CredentialListProps<Item, Extra>,
) {
  const { noun, caption, search = "Search name", empty, revokeEffect, list, rotate } = props;
  const { may, confirm, showSecret, announce } = useSession();
  const [open, setOpen] = useState<"new" | Item>();
  const close = () => setOpen(undefined);
  const show = (secret: NewSecret) => {
    close();
    showSecret(secret);
  };
  const revoke = ({ id, name, hint }: Item) =>
    confirm({
      title: `Revoke ${name}?`,
      body: (
        <p>
          The {noun} <code>{hint}</code> stops working at once. {revokeEffect}{" "}
          {rotate && "To replace it without downtime, rotate it instead. "}
          This cannot be undone.
        </p>
      ),
      button: `Revoke ${noun}`,
      run: async () => {
        await props.revoke(id);
        announce(`${capitalize(noun)} ${name} was revoked.`);
      },
    });
  const columns: Column<Item>[] = [
    { head: "Name", sort: "name", rowHeader: true, cell: ({ name }) => name },
    ...(props.columns ?? []),
    { head: "Starts with", cell: ({ hint }) => <code>{hint}</code> },
    { head: "State", cell: ({ state }) => <KeyStateBadge state={state} /> },
    {
      head: "Created",
      sort: "created_at",
      cell: ({ created_at }) => <Timestamp at={created_at} />,
    },
    { head: "Last used", cell: ({ last_used_at }) => <Timestamp at={last_used_at} /> },
    { head: "Expires", cell: ({ expires_at }) => <Timestamp at={expires_at} /> },
    ...(may("write") ? [actionsColumn(rotate && setOpen, revoke)] : []),
  ];
  return (
    <>
      <List
        caption={caption}
        what={`The ${noun}s`}
        search={search}
        sorted="created_at"
        filters={
          may("write") && (
            <button type="button" className="button primary" onClick={() => setOpen("new")}>
              <Icon name="plus" /> New {noun}
            </button>
          )
        }
        load={list}
        columns={columns}
        empty={empty}
      />
      {open === "new" && (
        <CreateDialog
          noun={noun}
          extra={props.extra}
          onClose={close}
          create={async (body) => show(await props.create(body))}
        />
      )}
      {open && open !== "new" && rotate && (
        <RotateDialog
          noun={noun}
          credential={open}
          onClose={close}
          rotate={async (overlap_s) => show(await rotate(open.id, overlap_s))}
        />
      )}
    </>
  );
}

const actionsColumn = <Item extends Credential>(
  rotate: ((item: Item) => void) | undefined,
  revoke: (item: Item) => void,
): Column<Item> => ({
  head: "Actions",
  cell: (item) =>
    item.state === "active" && (
      <RowMenu
        of={item.name}
        items={[
          ...(rotate ? [{ text: "Rotate…", onSelect: () => rotate(item) }] : []),
          { text: "Revoke…", danger: true, onSelect: () => revoke(item) },
        ]}
      />
    ),
});

interface CreateDialogProps<Extra extends object> {
  noun: string;
  extra: ExtraFields<Extra> | undefined;
  onClose: () => void;
  create: (body: NewCredential & Extra) => Promise<void>;
}

function CreateDialog<Extra extends object>(props: CreateDialogProps<Extra>) {
  const { noun, extra, onClose, create } = props;
  const [name, setName] = useState("");
  // Without extra fields, Extra is empty.
  const [value, setValue] = useState(extra?.initial ?? ({} as Extra));
  const [expires_at, setExpiry] = useState<string | null>(null);
  const action = useAction(() => create({ ...value, name, expires_at }));
  return (
    <Dialog title={`New ${noun}`} onClose={onClose}>
      <Form action={action} save={`Create ${noun}`} onCancel={onClose}>
        <TextField
          label="Name"
          required
          value={name}
          onChange={setName}
          hint="Where it is used, to recognize it later."
          problem={findProblem(action.error, "name")}
        />
        {extra?.render({ value, onChange: setValue, error: action.error })}
        <ExpiryField onChange={setExpiry} problem={findProblem(action.error, "expires_at")} />
      </Form>
    </Dialog>
  );
}

const OVERLAPS = [
  ["0", "Stops at once"],
  ["3600", "Works for 1 hour"],
  ["86400", "Works for 1 day"],
  ["604800", "Works for 7 days"],
  ["2592000", "Works for 30 days"],
] as const;

interface RotateDialogProps {
  noun: string;
  credential: Credential;
  onClose: () => void;
  rotate: (overlap_s: number) => Promise<void>;
}

function RotateDialog({ noun, credential, onClose, rotate }: RotateDialogProps) {
  const [overlap, setOverlap] = useState("86400");
  const action = useAction(() => rotate(Number(overlap)));
  return (
    <Dialog title={`Rotate ${credential.name}`} onClose={onClose}>
      <Form action={action} save={`Rotate ${noun}`} onCancel={onClose}>
        <p className="prose">
          Creates a new {noun} that replaces <code>{credential.hint}</code>, with the same settings.
          Its secret is shown once. Enter it in every program that uses the old {noun} before that
          stops working.
        </p>
        <SelectField
          label={`Old ${noun}`}
          value={overlap}
          options={OVERLAPS}
          onChange={setOverlap}
        />
      </Form>
    </Dialog>
  );
}
