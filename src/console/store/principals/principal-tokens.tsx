/** Personal tokens, for people who use the Store without an identity provider. */
import type { PrincipalToken } from "../../../contract/store/principals.ts";
import { call } from "../../api.ts";
import { principalTokens } from "../../endpoints.ts";
import { bearerRequest } from "../../example-requests.ts";
import { Chips } from "../../ui/badge.tsx";
import { CredentialList } from "../../ui/credential-list.tsx";
import { TextField } from "../../ui/fields/field.tsx";
import { findProblem } from "../../ui/find-problem.ts";
import type { Column } from "../../ui/table.tsx";
import { splitNames } from "../../ui/text.ts";

export function PrincipalTokens({ gateway_id }: { gateway_id: string }) {
  const params = { gateway_id };
  return (
    <CredentialList
      noun="personal token"
      caption="Personal tokens"
      search="Search name or person"
      empty={<p>No personal tokens. People with an identity provider do not need one.</p>}
      revokeEffect="The installs of its owner are kept."
      columns={COLUMNS}
      extra={{
        initial: { principal_sub: "", groups: "" },
        render: ({ value, onChange, error }) => (
          <>
            <TextField
              label="Person"
              required
              value={value.principal_sub}
              onChange={(principal_sub) => onChange({ ...value, principal_sub })}
              hint="The subject used in access rules and requests."
              problem={findProblem(error, "principal_sub")}
            />
            <TextField
              label="Groups (optional)"
              value={value.groups}
              onChange={(groups) => onChange({ ...value, groups })}
              hint="Separated by commas."
              problem={findProblem(error, "groups")}
            />
          </>
        ),
      }}
      list={(query, read) => read(principalTokens.list, { params, query })}
      create={async (draft) => {
        const body = { ...draft, groups: splitNames(draft.groups) };
        const created = await call(principalTokens.create, { params, body });
        return {
          title: `Token ${created.name}`,
          about: `New personal token of ${created.principal_sub}.`,
          secret: created.token,
          example: bearerRequest("v0.1/servers", created.token),
        };
      }}
      revoke={(id) =>
        call(principalTokens.revoke, { params: { ...params, principal_token_id: id } })
      }
    />
  );
}

const COLUMNS: Column<PrincipalToken>[] = [
  { head: "Person", sort: "principal_sub", cell: ({ principal_sub }) => principal_sub },
  { head: "Groups", cell: ({ groups }) => <Chips of={groups} /> },
  { head: "Created by", cell: ({ created_by }) => created_by },
];
