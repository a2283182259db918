/** Console → Tokens: administrator tokens of this installation. Owners only. */
import { ROLES, type Role } from "../../contract/roles.ts";
import type { AdminToken } from "../../contract/tokens.ts";
import { call } from "../api.ts";
import { tokens } from "../endpoints.ts";
import { bearerRequest } from "../example-requests.ts";
import { useSession } from "../session.ts";
import { CredentialList } from "../ui/credential-list.tsx";
import { CheckField, SelectField } from "../ui/fields/field.tsx";
import { Page } from "../ui/page.tsx";
import type { Column } from "../ui/table.tsx";

const ROLE_LABELS: Record<Role, string> = {
  owner: "owner: everything, including tokens",
  admin: "admin: everything except tokens",
  approver: "approver: read, and decide requests",
  auditor: "auditor: read, including the audit log",
  viewer: "viewer: read",
};

interface TokenScope {
  role: Role;
  /** Empty: all gateways. */
  gateway_ids: readonly string[];
}

const INITIAL_SCOPE: TokenScope = { role: "viewer", gateway_ids: [] };

export function TokensPage() {
  const { gateways } = useSession();
  const describeGateways = (ids: string[] | null) =>
    ids === null
      ? "all"
      : ids.map((id) => gateways.find((gateway) => gateway.id === id)?.name ?? id).join(", ");
  const columns: Column<AdminToken>[] = [
    { head: "Role", sort: "role", cell: ({ role }) => role },
    { head: "Gateways", cell: ({ gateway_ids }) => describeGateways(gateway_ids) },
  ];
  return (
    <Page
      title="Tokens"
      about="Administrator tokens: for the API, for scripts, and to sign in to this console."
    >
      <CredentialList
        noun="token"
        caption="Administrator tokens"
        empty={<p>No tokens.</p>}
        revokeEffect="Console sessions that were opened with it end."
        columns={columns}
        extra={{
          initial: INITIAL_SCOPE,
          render: (props) => <ScopeFields {...props} />,
        }}
        list={(query, read) => read(tokens.list, { params: {}, query })}
        create={async ({ gateway_ids, ...draft }) => {
          const ids = gateway_ids.length > 0 ? [...gateway_ids] : null;
          const body = { ...draft, gateway_ids: ids };
          const created = await call(tokens.create, { params: {}, body });
          return {
            title: `Token ${created.name}`,
            about: `New ${created.role} token.`,
            secret: created.token,
            example: bearerRequest("v1/whoami", created.token),
          };
        }}
        revoke={(id) => call(tokens.revoke, { params: { token_id: id } })}
      />
    </Page>
  );
}

interface ScopeFieldsProps {
  value: TokenScope;
  onChange: (value: TokenScope) => void;
}

function ScopeFields({ value, onChange }: ScopeFieldsProps) {
  const { gateways } = useSession();
  const others = (id: string) => value.gateway_ids.filter((other) => other !== id);
  return (
    <>
      <SelectField
        label="Role"
        value={value.role}
        options={ROLES.map((role) => [role, ROLE_LABELS[role]])}
        // The options are the roles.
        onChange={(role) => onChange({ ...value, role: role as Role })}
      />
      {gateways.length > 0 && (
        <fieldset className="field choices">
          <legend>Limit to gateways</legend>
          <p className="hint">Without a selection: all gateways, including future ones.</p>
          {gateways.map(({ id, name, slug }) => (
            <CheckField
              key={id}
              label={`${name} (${slug})`}
              checked={value.gateway_ids.includes(id)}
              onChange={(on) =>
                onChange({ ...value, gateway_ids: on ? [...others(id), id] : others(id) })
              }
            />
          ))}
        </fieldset>
      )}
    </>
  );
}
