/** The keys of a consumer: made and shown once, replaced with an overlap, revoked. */
import { useState } from "react";
import type { ConsumerKey } from "../../contract/consumer-keys.ts";
import type { Consumer } from "../../contract/consumers.ts";
import type { Registry } from "../../contract/registries.ts";
import { call } from "../api.ts";
import { consumerKeys } from "../endpoints.ts";
import { chatCurl } from "../example.ts";
import { useAction } from "../load.ts";
import { useSession } from "../session.ts";
import { Dialog } from "./dialog.tsx";
import { ExpiryField } from "./expiry-field.tsx";
import { SelectField, TextField } from "./field.tsx";
import { Form, problemOf } from "./form.tsx";
import { Icon } from "./icons.tsx";
import { List } from "./list.tsx";
import { KeyState, When } from "./marks.tsx";
import type { Column } from "./table.tsx";

interface ConsumerKeysProps {
  consumer: Consumer;
  upstreams: readonly Registry[];
}

export function ConsumerKeys({ consumer, upstreams }: ConsumerKeysProps) {
  const { may, ask, reveal, say } = useSession();
  const [open, setOpen] = useState<"new" | ConsumerKey>();
  const params = { gateway_id: consumer.gateway_id, consumer_id: consumer.id };
  const shown = ({ name, key }: { name: string; key: string }) => {
    setOpen(undefined);
    reveal({
      title: `Key ${name}`,
      about: `This is the new key of ${consumer.name}.`,
      secret: key,
      curl: chatCurl(consumer, upstreams, key),
    });
  };
  const revoke = ({ id, name, hint }: ConsumerKey) =>
    ask({
      title: `Revoke ${name}?`,
      body: (
        <p>
          The key <code>{hint}</code> stops working at once. Applications that send it get 401. To
          replace it without a gap, rotate it instead. This cannot be undone.
        </p>
      ),
      act: "Revoke key",
      run: async () => {
        await call(consumerKeys.revoke, { params: { ...params, key_id: id } });
        say(`Key ${name} was revoked.`);
      },
    });
  const create = may("write") && (
    <button type="button" className="button primary" onClick={() => setOpen("new")}>
      <Icon name="plus" /> New key
    </button>
  );
  const columns: Column<ConsumerKey>[] = [
    { head: "Name", sort: "name", names: true, cell: ({ name }) => name },
    { head: "Begins with", cell: ({ hint }) => <code>{hint}</code> },
    { head: "State", cell: ({ state }) => <KeyState state={state} /> },
    { head: "Created", sort: "created_at", cell: ({ created_at }) => <When at={created_at} /> },
    { head: "Last used", cell: ({ last_used_at }) => <When at={last_used_at} /> },
    { head: "Expires", cell: ({ expires_at }) => <When at={expires_at} /> },
    ...(may("write") ? [acts(setOpen, revoke)] : []),
  ];
  return (
    <>
      <List
        caption={`Keys of ${consumer.name}`}
        what="The keys"
        search="Search name"
        sorted="created_at"
        filters={create}
        load={(query) => call(consumerKeys.list, { params, query })}
        columns={columns}
        empty={<p>This consumer has no key yet, so it cannot be used.</p>}
      />
      {open === "new" && (
        <NewKey
          onClose={() => setOpen(undefined)}
          make={async (body) => shown(await call(consumerKeys.create, { params, body }))}
        />
      )}
      {open && open !== "new" && (
        <Rotate
          old={open}
          onClose={() => setOpen(undefined)}
          rotate={async (overlap_s) => {
            const place = { ...params, key_id: open.id };
            shown(await call(consumerKeys.rotate, { params: place, body: { overlap_s } }));
          }}
        />
      )}
    </>
  );
}

const acts = (
  rotate: (key: ConsumerKey) => void,
  revoke: (key: ConsumerKey) => void,
): Column<ConsumerKey> => ({
  head: "Actions",
  cell: (key) =>
    key.state === "active" && (
      <div className="row tight">
        <button type="button" className="button small" onClick={() => rotate(key)}>
          Rotate<span className="unseen"> {key.name}</span>
        </button>
        <button type="button" className="button small" onClick={() => revoke(key)}>
          Revoke<span className="unseen"> {key.name}</span>
        </button>
      </div>
    ),
});

interface NewKeyProps {
  onClose: () => void;
  make: (body: { name: string; expires_at: string | null }) => Promise<void>;
}

function NewKey({ onClose, make }: NewKeyProps) {
  const [name, setName] = useState("");
  const [expires_at, setExpiry] = useState<string | null>(null);
  const action = useAction(() => make({ name, expires_at }));
  return (
    <Dialog title="New key" onClose={onClose}>
      <Form action={action} save="Create key" onCancel={onClose}>
        <TextField
          label="Name"
          required
          value={name}
          onChange={setName}
          hint="Where it is used, to recognise it by."
          problem={problemOf(action.error, "name")}
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
  old: ConsumerKey;
  onClose: () => void;
  rotate: (overlap_s: number) => Promise<void>;
}

function Rotate({ old, onClose, rotate }: RotateProps) {
  const [overlap, setOverlap] = useState("86400");
  const action = useAction(() => rotate(Number(overlap)));
  return (
    <Dialog title={`Rotate ${old.name}`} onClose={onClose}>
      <Form action={action} save="Rotate key" onCancel={onClose}>
        <p>
          A new key takes the place of <code>{old.hint}</code>.
        </p>
        <SelectField
          label="The old key works"
          value={overlap}
          options={OVERLAPS}
          onChange={setOverlap}
        />
      </Form>
    </Dialog>
  );
}
