/** Console → Tokens: who may administer this installation. Owners only. */
import { useState } from "react";
import { ROLES, type Role } from "../../contract/roles.ts";
import type { AdminToken } from "../../contract/tokens.ts";
import { call } from "../api.ts";
import { bearerCurl } from "../curl-examples.ts";
import { tokens } from "../endpoints.ts";
import { useSession } from "../session.ts";
import { KeyStateBadge, Timestamp } from "../ui/badge.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ExpiryField } from "../ui/expiry-field.tsx";
import { CheckField, SelectField, TextField } from "../ui/field.tsx";
import { Form, findProblem } from "../ui/form.tsx";
import { Icon } from "../ui/icon.tsx";
import { List } from "../ui/list.tsx";
import { Page } from "../ui/page.tsx";
import type { Column } from "../ui/table.tsx";
import { useAction } from "../use-load.ts";

const ROLE_TEXTS: Record<Role, string> = {
  owner: "owner: everything, tokens included",
  admin: "admin: everything but tokens",
  approver: "approver: reads, and decides requests",
  auditor: "auditor: reads, the audit log included",
  viewer: "viewer: reads",
};

export function TokensPage() {
  const { confirm, announce, gateways } = useSession();
  const [open, setOpen] = useState(false);
  const revoke = ({ id, name, hint, role }: AdminToken) =>
    confirm({
      title: `Revoke ${name}?`,
      body: (
        <p>
          The {role} token <code>{hint}</code> and every console session that was opened with it end
          at once. This cannot be undone.
        </p>
      ),
      button: "Revoke token",
      run: async () => {
        await call(tokens.revoke, { params: { token_id: id } });
        announce(`Token ${name} was revoked.`);
      },
    });
  const limitedTo = (ids: string[] | null) =>
    ids === null
      ? "all"
      : ids.map((id) => gateways.find((one) => one.id === id)?.name ?? id).join(", ");
  const columns: Column<AdminToken>[] = [
    { head: "Name", sort: "name", rowHeader: true, cell: ({ name }) => name },
    { head: "Role", sort: "role", cell: ({ role }) => role },
    { head: "Begins with", cell: ({ hint }) => <code>{hint}</code> },
    { head: "State", cell: ({ state }) => <KeyStateBadge state={state} /> },
    { head: "Gateways", cell: ({ gateway_ids }) => limitedTo(gateway_ids) },
    {
      head: "Created",
      sort: "created_at",
      cell: ({ created_at }) => <Timestamp at={created_at} />,
    },
    { head: "Last used", cell: ({ last_used_at }) => <Timestamp at={last_used_at} /> },
    { head: "Expires", cell: ({ expires_at }) => <Timestamp at={expires_at} /> },
    {
      head: "Actions",
      cell: (token) =>
        token.state === "active" && (
          <button type="button" className="button small" onClick={() => revoke(token)}>
            Revoke<span className="visually-hidden"> {token.name}</span>
          </button>
        ),
    },
  ];
  return (
    <Page
      title="Tokens"
      about="Administrator tokens: for the API, for scripts, and for signing in here."
      actions={
        <button type="button" className="button primary" onClick={() => setOpen(true)}>
          <Icon name="plus" /> New token
        </button>
      }
    >
      <List
        caption="Administrator tokens"
        what="The tokens"
        search="Search name"
        sorted="created_at"
        load={(query, read) => read(tokens.list, { params: {}, query })}
        columns={columns}
        empty={<p>There is no token.</p>}
      />
      {open && <NewToken onClose={() => setOpen(false)} />}
    </Page>
  );
}

function NewToken({ onClose }: { onClose: () => void }) {
  const { showSecret, gateways } = useSession();
  const [name, setName] = useState("");
  const [role, setRole] = useState<string>("viewer");
  const [limited, setLimited] = useState<readonly string[]>([]);
  const [expires_at, setExpiry] = useState<string | null>(null);
  const make = useAction(async () => {
    const made = await call(tokens.create, {
      params: {},
      // The options of the select are the roles.
      body: {
        name,
        role: role as Role,
        gateway_ids: limited.length > 0 ? [...limited] : null,
        expires_at,
      },
    });
    onClose();
    showSecret({
      title: `Token ${made.name}`,
      about: `This is a new ${made.role} token.`,
      secret: made.token,
      curl: bearerCurl("v1/whoami", made.token),
    });
  });
  return (
    <Dialog title="New token" onClose={onClose}>
      <Form action={make} save="Create token" onCancel={onClose}>
        <TextField
          label="Name"
          required
          value={name}
          onChange={setName}
          hint="Who or what uses it."
          problem={findProblem(make.error, "name")}
        />
        <SelectField
          label="Role"
          value={role}
          options={ROLES.map((one) => [one, ROLE_TEXTS[one]])}
          onChange={setRole}
        />
        {gateways.length > 0 && (
          <fieldset className="field choices">
            <legend>Limit to gateways</legend>
            <p className="hint">None chosen: all of them, also future ones.</p>
            {gateways.map((gateway) => (
              <CheckField
                key={gateway.id}
                label={`${gateway.name} (${gateway.slug})`}
                checked={limited.includes(gateway.id)}
                onChange={(on) =>
                  setLimited(
                    on ? [...limited, gateway.id] : limited.filter((id) => id !== gateway.id),
                  )
                }
              />
            ))}
          </fieldset>
        )}
        <ExpiryField onChange={setExpiry} />
      </Form>
    </Dialog>
  );
}
