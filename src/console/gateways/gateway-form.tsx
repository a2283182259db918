/** Form of a gateway: name, slug, labels and guard. */
import type { Gateway } from "../../contract/gateway/gateways.ts";
import { call } from "../api.ts";
import { gateways } from "../endpoints.ts";
import { GuardFields, toGuardDraft, toGuardInput } from "../guard/guard-fields.tsx";
import type { GuardSources } from "../guard/guard-sources.ts";
import { IdentityFields } from "../ui/fields/identity-fields.tsx";
import { PairsField, toPairs, toRecord } from "../ui/fields/pairs-field.tsx";
import { Section } from "../ui/form.tsx";
import { ResourceForm, useResourceForm } from "../ui/use-resource-form.tsx";

interface GatewayFormProps {
  /** Undefined: a new gateway. */
  gateway: Gateway | undefined;
  sources: GuardSources;
}

export function GatewayForm({ gateway, sources }: GatewayFormProps) {
  const form = useResourceForm({
    noun: "gateway",
    loaded: gateway,
    toDraft,
    save: ({ name, slug, labels, guard }, stored) => {
      const body = {
        name,
        ...(slug ? { slug } : {}),
        metadata: toRecord(labels),
        ...(guard ? { guard: toGuardInput(guard) } : {}),
      };
      if (!stored) return call(gateways.create, { params: {}, body });
      const params = { gateway_id: stored.id };
      return call(gateways.update, { params, body, version: stored.version });
    },
    listPath: "/gateways",
    createdPath: ({ id }) => `/gateways/${id}/registries`,
  });
  const { stored, draft, change, problem } = form;
  return (
    <ResourceForm form={form}>
      <Section title="Identity">
        <IdentityFields
          form={form}
          slugHint="Clients may send it as X-AG-Gateway-Slug. Lowercase letters, digits and dashes."
        />
        <PairsField
          label="Labels"
          hint="For your own use. The gateway does not read them."
          noun="label"
          pairs={draft.labels}
          onChange={(labels) => change({ labels })}
        />
      </Section>
      {stored && draft.guard && (
        <Section
          title="Guard"
          about="Evaluates the traffic of principals, and of consumers without a guard of their own."
        >
          <GuardFields
            gateway_id={stored.id}
            guard={draft.guard}
            sources={sources}
            onChange={(guard) => change({ guard })}
            problem={problem}
          />
        </Section>
      )}
    </ResourceForm>
  );
}

const toDraft = (gateway: Gateway | undefined) => ({
  name: gateway?.name ?? "",
  slug: gateway?.slug ?? "",
  labels: toPairs(gateway?.metadata),
  guard: gateway && toGuardDraft(gateway.guard),
});
