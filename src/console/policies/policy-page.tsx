/** Console → a policy: its gates and rules, tests, what uses it, its exceptions and versions. */
import { call } from "../api.ts";
import { detectors, policies } from "../endpoints.ts";
import { readAllPages } from "../read-all-pages.ts";
import { Page } from "../ui/page.tsx";
import { DeleteButton, ResourcePage } from "../ui/resource-page.tsx";
import { NewPolicyForm } from "./new-policy-form.tsx";
import { PolicyEditor } from "./policy-editor.tsx";
import { describeUses } from "./policy-uses.tsx";

export function PolicyPage({ policy_id }: { policy_id?: string }) {
  if (!policy_id) {
    return (
      <Page title="New policy">
        <NewPolicyForm />
      </Page>
    );
  }
  return (
    <ResourcePage
      noun="policy"
      id={policy_id}
      load={async (read) => {
        const [stored, uses, all, catalog] = await Promise.all([
          read(policies.get, { params: { policy_id } }),
          read(policies.uses, { params: { policy_id } }),
          readAllPages((query) =>
            read(detectors.list, { params: {}, query: { ...query, sort: "name" } }),
          ),
          read(detectors.catalog, { params: {} }),
        ]);
        return { stored, uses, detectors: all, catalog: catalog.items };
      }}
      about={({ version }) => `Policy, version ${version}.`}
      actions={({ name, version }, { uses }) => (
        <DeleteButton
          noun="policy"
          name={name}
          listPath="/policies"
          inUse={describeUses(uses)}
          remove={() => call(policies.remove, { params: { policy_id }, version })}
        >
          <p>
            Deletes the policy, all its versions and its exceptions. Its detectors are kept. Nothing
            uses the policy. This cannot be undone.
          </p>
        </DeleteButton>
      )}
    >
      {({ stored, ...loaded }) => <PolicyEditor policy={stored} {...loaded} />}
    </ResourcePage>
  );
}
