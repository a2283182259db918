/** Personal tokens: how people without an identity provider reach the Store; each is shown once. */
import { useState } from "react";
import type { PrincipalToken } from "../../../contract/store-principals.ts";
import { call } from "../../api.ts";
import { bearerCurl } from "../../curl-examples.ts";
import { principalTokens } from "../../endpoints.ts";
import { useSession } from "../../session.ts";
import { Chips, KeyStateBadge, Timestamp } from "../../ui/badge.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ExpiryField } from "../../ui/expiry-field.tsx";
import { TextField } from "../../ui/field.tsx";
import { Form, findProblem } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { List } from "../../ui/list.tsx";
import { splitNames } from "../../ui/split-names.ts";
import type { Column } from "../../ui/table.tsx";
import { useAction } from "../../use-load.ts";

export function PrincipalTokens({ gateway_id }: { gateway_id: string }) {
  const { may, confirm, announce } = useSession();
  const [open, setOpen] = useState(false);
  const revoke = ({ id, name, hint, principal_sub }: PrincipalToken) =>
    confirm({
      title: `Revoke ${name}?`,
      body: (
        <p>
          The token <code>{hint}</code> of {principal_sub} stops working at once. What they have
          installed stays. This cannot be undone.
        </p>
      ),
      button: "Revoke token",
      run: async () => {
        await call(principalTokens.revoke, { params: { gateway_id, principal_token_id: id } });
        announce(`Token ${name} was revoked.`);
      },
    });
  return (
    <>
      <List
        caption="Personal tokens"
        what="The personal tokens"
        search="Search name or person"
        sorted="created_at"
        filters={
          may("write") && (
            <button type="button" className="button primary" onClick={() => setOpen(true)}>
              <Icon name="plus" /> New personal token
            </button>
          )
        }
        load={(query, read) => read(principalTokens.list, { params: { gateway_id }, query })}
        columns={may("write") ? [...COLUMNS, acts(revoke)] : COLUMNS}
        empty={<p>Nobody has a personal token. People of an identity provider need none.</p>}
      />
      {open && <NewPrincipalToken gateway_id={gateway_id} onClose={() => setOpen(false)} />}
    </>
  );
}

const COLUMNS: Column<PrincipalToken>[] = [
  { head: "Name", sort: "name", rowHeader: true, cell: ({ name }) => name },
  { head: "Person", sort: "principal_sub", cell: ({ principal_sub }) => principal_sub },
  { head: "Groups", cell: ({ groups }) => <Chips of={groups} /> },
  { head: "Begins with", cell: ({ hint }) => <code>{hint}</code> },
  { head: "State", cell: ({ state }) => <KeyStateBadge state={state} /> },
  { head: "Created by", cell: ({ created_by }) => created_by },
  { head: "Last used", cell: ({ last_used_at }) => <Timestamp at={last_used_at} /> },
  { head: "Expires", cell: ({ expires_at }) => <Timestamp at={expires_at} /> },
];

const acts = (revoke: (token: PrincipalToken) => void): Column<PrincipalToken> => ({
  head: "Actions",
  cell: (token) =>
    token.state === "active" && (
      <button type="button" className="button small" onClick={() => revoke(token)}>
        Revoke<span className="visually-hidden"> {token.name}</span>
      </button>
    ),
});

function NewPrincipalToken({ gateway_id, onClose }: { gateway_id: string; onClose: () => void }) {
  const { showSecret } = useSession();
  const [name, setName] = useState("");
  const [principal_sub, setPrincipal] = useState("");
  const [groups, setGroups] = useState("");
  const [expires_at, setExpiry] = useState<string | null>(null);
  const make = useAction(async () => {
    const made = await call(principalTokens.create, {
      params: { gateway_id },
      body: { name, principal_sub, groups: splitNames(groups), expires_at },
    });
    onClose();
    showSecret({
      title: `Token ${made.name}`,
      about: `This is the new personal token of ${made.principal_sub}.`,
      secret: made.token,
      curl: bearerCurl("v0.1/servers", made.token),
    });
  });
  return (
    <Dialog title="New personal token" onClose={onClose}>
      <Form action={make} save="Create token" onCancel={onClose}>
        <TextField
          label="Name"
          required
          value={name}
          onChange={setName}
          hint="Where it is used, to recognize it by."
          problem={findProblem(make.error, "name")}
        />
        <TextField
          label="Person"
          required
          value={principal_sub}
          onChange={setPrincipal}
          hint="The subject they are known by in access rules and requests."
          problem={findProblem(make.error, "principal_sub")}
        />
        <TextField
          label="Groups (optional)"
          value={groups}
          onChange={setGroups}
          hint="Separated by commas."
          problem={findProblem(make.error, "groups")}
        />
        <ExpiryField onChange={setExpiry} problem={findProblem(make.error, "expires_at")} />
      </Form>
    </Dialog>
  );
}
