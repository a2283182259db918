/** Form of a gateway: name, slug and labels. */
import type { Gateway } from "../../contract/gateways.ts";
import { call } from "../api.ts";
import { gateways } from "../endpoints.ts";
import { TextField } from "../ui/field.tsx";
import { Section } from "../ui/form.tsx";
import { PairsField, toPairs, toRecord } from "../ui/pairs-field.tsx";
import { ResourceForm, useResourceForm } from "../ui/use-resource-form.tsx";

interface GatewayFormProps {
  /** Undefined: a new gateway. */
  gateway: Gateway | undefined;
}

export function GatewayForm({ gateway }: GatewayFormProps) {
  const form = useResourceForm({
    noun: "gateway",
    loaded: gateway,
    toDraft,
    save: ({ name, slug, labels }, stored) => {
      const body = { name, ...(slug ? { slug } : {}), metadata: toRecord(labels) };
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
        <TextField
          label="Name"
          required
          value={draft.name}
          onChange={(name) => change({ name })}
          problem={problem("name")}
        />
        <TextField
          label={stored ? "Slug" : "Slug (optional)"}
          value={draft.slug}
          onChange={(slug) => change({ slug })}
          problem={problem("slug")}
          hint="Clients may send it as X-AG-Gateway-Slug. Lowercase letters, digits and dashes. Generated if empty."
        />
        <PairsField
          label="Labels"
          hint="For your own use. The gateway does not read them."
          noun="label"
          pairs={draft.labels}
          onChange={(labels) => change({ labels })}
        />
      </Section>
    </ResourceForm>
  );
}

const toDraft = (gateway: Gateway | undefined) => ({
  name: gateway?.name ?? "",
  slug: gateway?.slug ?? "",
  labels: toPairs(gateway?.metadata),
});
