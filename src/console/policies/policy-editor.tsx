/** The tabs of a policy. What was typed on one is still there on the others, until it is saved. */
import { type ReactNode, useState } from "react";
import type { DetectorResource } from "../../contract/detectors.ts";
import type { Policy } from "../../contract/policies.ts";
import { call } from "../api.ts";
import type { DetectorKind } from "../detectors/detector-form.tsx";
import { policies } from "../endpoints.ts";
import { useSession } from "../session.ts";
import { Form, Section } from "../ui/form.tsx";
import { Tabs, useTab } from "../ui/tabs.tsx";
import { useAction } from "../use-load.ts";
import { useUnsavedChanges } from "../use-unsaved-changes.ts";
import { Gates } from "./gates.tsx";
import { type PolicyDraft, toPolicyDraft, toPolicyInput } from "./policy-draft.ts";
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
  onStale: () => void;
}

const TABS = [
  ["", "Overview"],
  ["gates", "Gates"],
  ["input", "Input rules"],
  ["output", "Output rules"],
  ["test", "Test"],
  ["replay", "Replay"],
  ["collectors", "Collectors"],
  ["history", "History"],
] as const;

/** Its settings are what a gate masks by. */
const MASKS = "data_loss_prevention";

export function PolicyEditor({ policy, detectors, catalog, onStale }: PolicyEditorProps) {
  const { may, announce } = useSession();
  const tab = useTab(TABS);
  const masking = catalog.find(({ kind }) => kind === MASKS)?.settings_schema ?? {};
  const [opened, setOpened] = useState(policy);
  const [draft, setDraft] = useState(() => toPolicyDraft(policy, masking));
  const [touched, setTouched] = useState(false);
  const [trial, setTrial] = useState(newTrial);
  const [replay, setReplay] = useState(newReplay);
  const change = (changes: Partial<PolicyDraft>) => {
    setDraft({ ...draft, ...changes });
    setTouched(true);
  };
  const save = useAction(async () => {
    const params = { policy_id: opened.id };
    const body = toPolicyInput(draft, masking);
    const saved = await call(policies.update, { params, body, version: opened.version });
    setOpened(saved);
    setDraft(toPolicyDraft(saved, masking));
    setTouched(false);
    announce(`Saved as version ${saved.version}.`);
  });
  useUnsavedChanges(touched && !save.busy, ({ pathname }) => pathname !== location.pathname);
  const { error } = save;
  const shared = { detectors, catalog, error };
  const pages: { [Name in typeof tab]?: ReactNode } = {
    "": (
      <Section title="Identity">
        <PolicyIdentityFields name={draft.name} mode={draft.mode} onChange={change} error={error} />
      </Section>
    ),
    gates: (
      <Section title="Gates" about="In order, before any detector. Block and ask end it.">
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
        about="For what goes to a model or tool; results inside of a prompt are part of it."
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
        about="For what comes back from a model or MCP tool: asked for with direction output."
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
          policy={opened}
          trial={trial}
          onChange={(changes) => setTrial((last) => ({ ...last, ...changes }))}
          unsaved={touched}
        />
      )}
      {tab === "replay" && (
        <PolicyReplay
          policy={opened}
          draft={touched ? () => toPolicyInput(draft, masking) : undefined}
          choice={replay}
          onChange={(changes) => setReplay((last) => ({ ...last, ...changes }))}
        />
      )}
      {tab === "collectors" && <PolicyUses policy={opened} />}
      {tab === "history" && (
        <PolicyHistory policy={opened} unsaved={touched} onRestored={onStale} />
      )}
      {pages[tab] && (
        <Form
          action={save}
          kept
          save="Save"
          locked={!may("write")}
          onStale={onStale}
          more={touched && <span className="muted unsaved">There are unsaved changes.</span>}
        >
          {pages[tab]}
        </Form>
      )}
    </>
  );
}
