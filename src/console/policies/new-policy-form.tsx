/** First step of a policy: its name and mode. Rules follow in the editor. */
import type { Mode, Policy } from "../../contract/guard/policies.ts";
import { call } from "../api.ts";
import { policies } from "../endpoints.ts";
import { Section } from "../ui/form.tsx";
import { ResourceForm, useResourceForm } from "../ui/use-resource-form.tsx";
import { PolicyIdentityFields } from "./policy-identity-fields.tsx";

export function NewPolicyForm() {
  const form = useResourceForm<Policy, { name: string; mode: Mode }>({
    noun: "policy",
    loaded: undefined,
    toDraft: () => ({ name: "", mode: "enforce" }),
    save: (body) => call(policies.create, { params: {}, body }),
    listPath: "/policies",
    createdPath: ({ id }) => `/policies/${id}?tab=input`,
    nextStep: "It needs rules next.",
  });
  return (
    <ResourceForm form={form}>
      <Section title="Identity">
        <PolicyIdentityFields {...form.draft} onChange={form.change} error={form.error} />
      </Section>
    </ResourceForm>
  );
}
