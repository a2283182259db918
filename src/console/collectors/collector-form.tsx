/** The form of a collector: which policy judges, what happens when it cannot, and what is kept. */
import { useState } from "react";
import type { Collector } from "../../contract/collectors.ts";
import type { Policy } from "../../contract/policies.ts";
import { call } from "../api.ts";
import { collectors } from "../endpoints.ts";
import { PolicyPicker } from "../policies/policy-picker.tsx";
import { navigate } from "../router.tsx";
import { useSession } from "../session.ts";
import { SelectField, TextField } from "../ui/field.tsx";
import { Form, findProblem, Section } from "../ui/form.tsx";
import { useAction } from "../use-load.ts";

interface CollectorFormProps {
  /** Undefined: it is not made yet. */
  collector: Collector | undefined;
  policies: readonly Policy[];
  onStale: () => void;
}

const FAIL_MODES: Record<Collector["fail_mode"], string> = {
  closed: "Closed: answer an error, so that nothing passes unjudged",
  open: "Open: go on without the detector that failed",
};
const STORAGE: Record<Collector["content_storage"], string> = {
  none: "None: only what was decided",
  masked: "Masked: with personal data and secrets hidden",
  full: "Full: as they were sent",
};

interface Typed {
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

export function CollectorForm({ collector, policies, onStale }: CollectorFormProps) {
  const { may, announce, gateways } = useSession();
  const [opened, setOpened] = useState(collector);
  const [typed, setTyped] = useState(() => typedOf(collector));
  const change = (changes: Partial<Typed>) => setTyped({ ...typed, ...changes });
  const save = useAction(async () => {
    const body = inputOf(typed);
    if (!opened) {
      const made = await call(collectors.create, { params: {}, body });
      navigate(`/collectors/${made.id}?tab=auth`);
      announce(`Collector ${made.name} was created. It needs a key next.`);
      return;
    }
    const params = { collector_id: opened.id };
    const saved = await call(collectors.update, { params, body, version: opened.version });
    setOpened(saved);
    setTyped(typedOf(saved));
    announce("Saved.");
  });
  const problem = (member: string) => findProblem(save.error, member);
  return (
    <Form
      action={save}
      save={opened ? "Save" : "Create collector"}
      locked={!may("write")}
      onStale={onStale}
      {...(opened ? {} : { onCancel: () => navigate("/collectors") })}
    >
      <Section title="Identity">
        <TextField
          label="Name"
          required
          value={typed.name}
          onChange={(name) => change({ name })}
          problem={problem("name")}
        />
        <div className="columns">
          <TextField
            label="Type"
            required
            value={typed.type}
            onChange={(type) => change({ type })}
            problem={problem("type")}
            hint="Where it stands: application, gateway, agent, ide, edge, browser."
          />
          <TextField
            label={opened ? "Collector key" : "Collector key (optional)"}
            value={typed.collector_key}
            onChange={(collector_key) => change({ collector_key })}
            problem={problem("collector_key")}
            required={opened !== undefined}
            hint={`Names it beside a service token. Not a secret${opened ? "" : "; generated when left empty"}.`}
          />
        </div>
        <SelectField
          label="Gateway"
          value={typed.gateway_id}
          options={[
            ["", "None"],
            ...gateways.map(({ id, name, slug }) => [id, `${name} (${slug})`] as const),
          ]}
          onChange={(gateway_id) => change({ gateway_id })}
          problem={problem("gateway_id")}
        />
      </Section>
      <Section title="Judging">
        <PolicyPicker
          policies={policies}
          policy_id={typed.policy_id}
          version={typed.version}
          none="None: nothing is judged, all is allowed"
          onChange={change}
          problems={{
            policy: problem("default_policy_id"),
            version: problem("default_policy_version"),
          }}
        />
        <SelectField
          label="When a detector fails"
          value={typed.fail_mode}
          options={Object.entries(FAIL_MODES)}
          // The options are the keys of FAIL_MODES.
          onChange={(mode) => change({ fail_mode: mode as Collector["fail_mode"] })}
        />
      </Section>
      <Section title="Activity" about="What is kept of every evaluation, and for how long.">
        <SelectField
          label="Texts"
          value={typed.content_storage}
          options={Object.entries(STORAGE)}
          // The options are the keys of STORAGE.
          onChange={(kept) => change({ content_storage: kept as Collector["content_storage"] })}
        />
        <TextField
          label="Days"
          type="number"
          min={1}
          max={3650}
          required
          value={typed.retention_days}
          onChange={(retention_days) => change({ retention_days })}
          problem={problem("retention_days")}
        />
      </Section>
    </Form>
  );
}

const typedOf = (collector: Collector | undefined): Typed => ({
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

const inputOf = (typed: Typed) => ({
  name: typed.name,
  type: typed.type,
  gateway_id: typed.gateway_id || null,
  ...(typed.collector_key ? { collector_key: typed.collector_key } : {}),
  default_policy_id: typed.policy_id || null,
  default_policy_version: typed.version ? Number(typed.version) : null,
  fail_mode: typed.fail_mode,
  content_storage: typed.content_storage,
  retention_days: Number(typed.retention_days),
});
