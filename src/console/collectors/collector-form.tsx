/** Form of a collector: its policy, its behavior on errors, and what is stored. */
import type { Collector } from "../../contract/guard/collectors.ts";
import type { Policy } from "../../contract/guard/policies.ts";
import { call } from "../api.ts";
import { collectors } from "../endpoints.ts";
import { PolicyPicker } from "../policies/policy-picker.tsx";
import { useSession } from "../session.ts";
import { SelectField, TextField } from "../ui/fields/field.tsx";
import { Section } from "../ui/form.tsx";
import { ResourceForm, useResourceForm } from "../ui/use-resource-form.tsx";

interface CollectorFormProps {
  /** Undefined: a new collector. */
  collector: Collector | undefined;
  policies: readonly Policy[];
}

const FAIL_MODES: Record<Collector["fail_mode"], string> = {
  closed: "Closed: return an error, so that nothing passes unevaluated",
  open: "Open: continue without the failed detector",
};
const STORAGE: Record<Collector["content_storage"], string> = {
  none: "None: only the verdict",
  masked: "Masked: personal data and secrets are hidden",
  full: "Full: as sent",
};

interface CollectorDraft {
  name: string;
  type: string;
  gateway_id: string;
  collector_key: string;
  policy_id: string;
  version: string;
  fail_mode: Collector["fail_mode"];
  content_storage: Collector["content_storage"];
  retention_days: string;
}

export function CollectorForm({ collector, policies }: CollectorFormProps) {
  const { gateways } = useSession();
  const form = useResourceForm({
    noun: "collector",
    loaded: collector,
    toDraft,
    save: (draft, stored) => {
      const body = toInput(draft);
      if (!stored) return call(collectors.create, { params: {}, body });
      const params = { collector_id: stored.id };
      return call(collectors.update, { params, body, version: stored.version });
    },
    listPath: "/collectors",
    createdPath: ({ id }) => `/collectors/${id}?tab=auth`,
    nextStep: "It needs a key next.",
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
        <div className="columns">
          <TextField
            label="Type"
            required
            value={draft.type}
            onChange={(type) => change({ type })}
            problem={problem("type")}
            hint="Where it runs: application, gateway, agent, ide, edge or browser."
          />
          <TextField
            label={stored ? "Collector key" : "Collector key (optional)"}
            value={draft.collector_key}
            onChange={(collector_key) => change({ collector_key })}
            problem={problem("collector_key")}
            required={stored !== undefined}
            hint={`Identifies the collector beside a service token. Not a secret.${stored ? "" : " Generated if empty."}`}
          />
        </div>
        <SelectField
          label="Gateway"
          value={draft.gateway_id}
          options={[
            ["", "None"],
            ...gateways.map(({ id, name, slug }) => [id, `${name} (${slug})`] as const),
          ]}
          onChange={(gateway_id) => change({ gateway_id })}
          problem={problem("gateway_id")}
        />
      </Section>
      <Section title="Evaluation">
        <PolicyPicker
          policies={policies}
          policy_id={draft.policy_id}
          version={draft.version}
          none="None: everything is allowed"
          onChange={change}
          problems={{
            policy: problem("default_policy_id"),
            version: problem("default_policy_version"),
          }}
        />
        <SelectField
          label="When a detector fails"
          value={draft.fail_mode}
          options={Object.entries(FAIL_MODES)}
          // The options are the keys of FAIL_MODES.
          onChange={(mode) => change({ fail_mode: mode as Collector["fail_mode"] })}
        />
      </Section>
      <Section title="Activity" about="What is stored of every evaluation, and for how long.">
        <SelectField
          label="Content storage"
          value={draft.content_storage}
          options={Object.entries(STORAGE)}
          // The options are the keys of STORAGE.
          onChange={(storage) =>
            change({ content_storage: storage as Collector["content_storage"] })
          }
        />
        <TextField
          label="Retention (days)"
          type="number"
          min={1}
          max={3650}
          required
          value={draft.retention_days}
          onChange={(retention_days) => change({ retention_days })}
          problem={problem("retention_days")}
        />
      </Section>
    </ResourceForm>
  );
}

const toDraft = (collector: Collector | undefined): CollectorDraft => ({
  name: collector?.name ?? "",
  type: collector?.type ?? "application",
  gateway_id: collector?.gateway_id ?? "",
  collector_key: collector?.collector_key ?? "",
  policy_id: collector?.default_policy_id ?? "",
  version: String(collector?.default_policy_version ?? ""),
  fail_mode: collector?.fail_mode ?? "closed",
  content_storage: collector?.content_storage ?? "masked",
  retention_days: String(collector?.retention_days ?? 90),
});

const toInput = (draft: CollectorDraft) => ({
  name: draft.name,
  type: draft.type,
  gateway_id: draft.gateway_id || null,
  ...(draft.collector_key ? { collector_key: draft.collector_key } : {}),
  default_policy_id: draft.policy_id || null,
  default_policy_version: draft.version ? Number(draft.version) : null,
  fail_mode: draft.fail_mode,
  content_storage: draft.content_storage,
  retention_days: Number(draft.retention_days),
});
