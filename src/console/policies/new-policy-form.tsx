/** First step of a policy: a template or none, a name and a mode. */
import type { Policy } from "../../contract/guard/policies.ts";
import { call } from "../api.ts";
import type { DetectorKind } from "../detectors/detector-form.tsx";
import { detectors, policies } from "../endpoints.ts";
import { AreaField } from "../ui/fields/field.tsx";
import { RadioField } from "../ui/fields/radio-field.tsx";
import { type SchemaDraft, toSchemaDraft } from "../ui/fields/schema-draft.ts";
import { findProblem, findProblemsBelow } from "../ui/find-problem.ts";
import { Section } from "../ui/form.tsx";
import { Ready } from "../ui/page.tsx";
import { ResourceForm, useResourceForm } from "../ui/use-resource-form.tsx";
import { useLoad } from "../use-load.ts";
import { PolicyIdentityFields } from "./policy-identity-fields.tsx";
import {
  applyTemplate,
  findTemplate,
  PAYMENT_TOOLS,
  settingsSchema,
  TEMPLATES,
  type TemplateName,
} from "./policy-templates.ts";

export function NewPolicyForm() {
  const loaded = useLoad("catalog", (read) => read(detectors.catalog, { params: {} }));
  return (
    <Ready of={loaded} what="The kinds of detectors">
      {({ items }) => <TemplateForm catalog={items} />}
    </Ready>
  );
}

const BLANK = {
  template: "blank" as TemplateName,
  name: "",
  mode: "enforce" as Policy["mode"],
  settings: {} as SchemaDraft,
  tools: PAYMENT_TOOLS,
};

function TemplateForm({ catalog }: { catalog: readonly DetectorKind[] }) {
  const form = useResourceForm<Policy, typeof BLANK>({
    noun: "policy",
    loaded: undefined,
    toDraft: () => BLANK,
    save: (draft) => {
      const { name, mode } = draft;
      const body = { name, mode, ...applyTemplate(draft, catalog) };
      return call(policies.createWithDetectors, { params: {}, body });
    },
    listPath: "/policies",
    createdPath: ({ id, gates, input_rules }) =>
      `/policies/${id}?tab=${gates.length + input_rules.length > 0 ? "test" : "input"}`,
    nextStep: "It applies when a collector uses it.",
  });
  const { draft, change, error } = form;
  const { title, detectors: created, Fields, asksForTools } = findTemplate(draft.template);
  const select = (template: TemplateName) => {
    const next = findTemplate(template);
    const kind = next.detectors[0]?.kind;
    // A name that the user has not changed follows the template.
    const isSuggested = draft.name === "" || draft.name === title;
    change({
      template,
      settings: kind ? toSchemaDraft(settingsSchema(catalog, kind), {}) : {},
      ...(isSuggested && { name: template === "blank" ? "" : next.title }),
    });
  };
  return (
    <ResourceForm form={form}>
      <Section title="Template" about="A template creates a policy that you can change later.">
        <RadioField
          label="Start with"
          value={draft.template}
          // The keys are template names.
          options={(Object.keys(TEMPLATES) as TemplateName[]).map((value) => ({
            value,
            label: TEMPLATES[value].title,
            hint: TEMPLATES[value].about,
          }))}
          onChange={select}
        />
      </Section>
      <Section title="Policy">
        <PolicyIdentityFields name={draft.name} mode={draft.mode} onChange={change} error={error} />
        {Fields && created[0] && (
          <Fields
            key={draft.template}
            kind={created[0].kind}
            schema={settingsSchema(catalog, created[0].kind)}
            draft={draft.settings}
            onChange={(settings) => change({ settings })}
            problem={(name) => findProblemsBelow(error, `detectors[0].settings.${name}`)}
          />
        )}
        {asksForTools && (
          <AreaField
            label="Payment tools"
            hint="Parts of tool names, one per line, in upper or lower case. Calls of these tools need an approval."
            rows={5}
            value={draft.tools}
            onChange={(tools) => change({ tools })}
            problem={findProblem(error, "gates[0].when")}
          />
        )}
      </Section>
    </ResourceForm>
  );
}
