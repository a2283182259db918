/** Tabs of a policy. They share one draft until it is saved. */
import { type ReactNode, useState } from "react";
import type { DetectorResource } from "../../contract/guard/detectors.ts";
import type { Policy } from "../../contract/guard/policies.ts";
import { call } from "../api.ts";
import type { DetectorKind } from "../detectors/detector-form.tsx";
import { policies } from "../endpoints.ts";
import { Section } from "../ui/form.tsx";
import { Tabs, useTab } from "../ui/tabs.tsx";
import { ResourceForm, useResourceForm } from "../ui/use-resource-form.tsx";
import { Exemptions } from "./exemptions.tsx";
import { Gates } from "./gates.tsx";
import { toPolicyDraft, toPolicyInput } from "./policy-draft.ts";
import { PolicyHistory } from "./policy-history.tsx";
import { PolicyIdentityFields } from "./policy-identity-fields.tsx";
import { newReplay, PolicyReplay } from "./policy-replay.tsx";
import { newTrial, PolicyTest } from "./policy-test.tsx";
import { PolicyUses } from "./policy-uses.tsx";
import { Rules } from "./rules.tsx";

interface PolicyEditorProps {
  policy: Policy;
  detectors: readonly DetectorResource[];
  catalog: readonly DetectorKind[];
}

const TABS = [
  ["", "Overview"],
  ["gates", "Gates"],
  ["input", "Input rules"],
  ["output", "Output rules"],
  ["test", "Test"],
  ["replay", "Replay"],
  ["collectors", "Collectors"],
  ["exemptions", "Exemptions"],
  ["history", "History"],
] as const;

/** The detector kind whose settings configure the masking of a gate. */
const MASKING_KIND = "data_loss_prevention";

export function PolicyEditor({ policy, detectors, catalog }: PolicyEditorProps) {
  const tab = useTab(TABS);
  const masking = catalog.find(({ kind }) => kind === MASKING_KIND)?.settings_schema ?? {};
  const form = useResourceForm({
    noun: "policy",
    loaded: policy,
    toDraft: (stored: Policy | undefined) => toPolicyDraft(stored ?? policy, masking),
    save: (draft, { id, version }: Policy = policy) =>
      call(policies.update, {
        params: { policy_id: id },
        body: toPolicyInput(draft, masking),
        version,
      }),
    savedText: ({ version }) => `Saved as version ${version}.`,
    discards: ({ pathname }) => pathname !== location.pathname,
  });
  const { stored: current = policy, draft, change, error, isDirty } = form;
  const [trial, setTrial] = useState(newTrial);
  const [replay, setReplay] = useState(newReplay);
  const unsaved = isDirty ? () => toPolicyInput(draft, masking) : undefined;
  const shared = { detectors, catalog, error };
  const pages: { [Name in typeof tab]?: ReactNode } = {
    "": (
      <Section title="Identity">
        <PolicyIdentityFields name={draft.name} mode={draft.mode} onChange={change} error={error} />
      </Section>
    ),
    gates: (
      <Section
        title="Gates"
        about="Checked in order, before any detector. Block and ask end the evaluation."
      >
        <Gates
          gates={draft.gates}
          onChange={(gates) => change({ gates })}
          masking={masking}
          error={error}
        />
      </Section>
    ),
    input: (
      <Section
        title="Input rules"
        about="For everything sent to a model or tool, including tool results inside a prompt."
      >
        <Rules
          direction="input"
          rules={draft.input_rules}
          onChange={(input_rules) => change({ input_rules })}
          {...shared}
        />
      </Section>
    ),
    output: (
      <Section
        title="Output rules"
        about="For responses of a model or MCP tool, which applications send with direction output."
      >
        <Rules
          direction="output"
          rules={draft.output_rules}
          onChange={(output_rules) => change({ output_rules })}
          {...shared}
        />
      </Section>
    ),
  };
  return (
    <>
      <Tabs label="Policy" tabs={TABS} />
      {tab === "test" && (
        <PolicyTest
          policy={current}
          draft={unsaved}
          trial={trial}
          onChange={(changes) => setTrial((last) => ({ ...last, ...changes }))}
        />
      )}
      {tab === "replay" && (
        <PolicyReplay
          policy={current}
          draft={unsaved}
          choice={replay}
          onChange={(changes) => setReplay((last) => ({ ...last, ...changes }))}
        />
      )}
      {tab === "collectors" && <PolicyUses policy={current} />}
      {tab === "exemptions" && <Exemptions policy={current} detectors={detectors} />}
      {tab === "history" && (
        <PolicyHistory policy={current} unsaved={isDirty} onRestored={form.reload} />
      )}
      {pages[tab] && (
        <ResourceForm
          form={form}
          extra={isDirty && <span className="muted unsaved">There are unsaved changes.</span>}
        >
          {pages[tab]}
        </ResourceForm>
      )}
    </>
  );
}
