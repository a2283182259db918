/** Tabs of a policy. They share one draft until it is saved. */
import { type ReactNode, useState } from "react";
import type { DetectorResource } from "../../contract/guard/detectors.ts";
import type { Direction } from "../../contract/guard/evaluate.ts";
import type { Policy } from "../../contract/guard/policies.ts";
import { call } from "../api.ts";
import { type DetectorKind, NewDetectorDialog } from "../detectors/detector-form.tsx";
import { policies } from "../endpoints.ts";
import { TextField } from "../ui/fields/field.tsx";
import { Section } from "../ui/form.tsx";
import { Tabs, useTab } from "../ui/tabs.tsx";
import { ResourceForm, useResourceForm } from "../ui/use-resource-form.tsx";
import { Exceptions } from "./exceptions.tsx";
import { Gates } from "./gates.tsx";
import {
  MASKING_KIND,
  newRule,
  type RuleDraft,
  toPolicyDraft,
  toPolicyInput,
} from "./policy-draft.ts";
import { PolicyHistory } from "./policy-history.tsx";
import { PolicyIdentityFields } from "./policy-identity-fields.tsx";
import { newReplay, PolicyReplay } from "./policy-replay.tsx";
import { newTrial, PolicyTest } from "./policy-test.tsx";
import { type PolicyUses, PolicyUsesTable } from "./policy-uses.tsx";
import { Rules } from "./rules.tsx";
import { suggestTestInput } from "./suggest-test-input.ts";

interface PolicyEditorProps {
  policy: Policy;
  uses: PolicyUses;
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
  ["uses", "Used by"],
  ["exceptions", "Exceptions"],
  ["history", "History"],
] as const;

export function PolicyEditor({ policy, uses, detectors, catalog }: PolicyEditorProps) {
  const tab = useTab(TABS);
  const masking = catalog.find(({ kind }) => kind === MASKING_KIND)?.settings_schema ?? {};
  const form = useResourceForm({
    noun: "policy",
    loaded: policy,
    toDraft: (stored: Policy | undefined) => toPolicyDraft(stored ?? policy, masking),
    save: (draft, { id, version }: Policy = policy) =>
      call(policies.update, {
        params: { policy_id: id },
        body: { ...toPolicyInput(draft, masking), note: draft.note },
        version,
      }),
    savedText: ({ version }) => `Saved as version ${version}.`,
    discards: ({ pathname }) => pathname !== location.pathname,
  });
  const { stored: current = policy, draft, change, error, isDirty } = form;
  const [trial, setTrial] = useState(() => newTrial(suggestTestInput(policy, detectors)));
  const [replay, setReplay] = useState(newReplay);
  const unsaved = isDirty ? () => toPolicyInput(draft, masking) : undefined;
  const [newDetectorFor, setNewDetectorFor] = useState<Direction>();
  const rulesOf = (direction: Direction) => ({
    direction,
    rules: draft[`${direction}_rules`],
    onChange: (rules: readonly RuleDraft[]) => change({ [`${direction}_rules`]: rules }),
    onNewDetector: () => setNewDetectorFor(direction),
    detectors,
    catalog,
    error,
  });
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
        <Rules {...rulesOf("input")} />
      </Section>
    ),
    output: (
      <Section
        title="Output rules"
        about="For responses of a model or MCP tool, which applications send with direction output."
      >
        <Rules {...rulesOf("output")} />
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
      {tab === "uses" && <PolicyUsesTable policy={current} uses={uses} />}
      {tab === "exceptions" && <Exceptions policy={current} detectors={detectors} />}
      {tab === "history" && (
        <PolicyHistory policy={current} unsaved={isDirty} onRestored={form.reload} />
      )}
      {pages[tab] && (
        <ResourceForm
          form={form}
          extra={isDirty && <span className="muted unsaved">There are unsaved changes.</span>}
        >
          {pages[tab]}
          {isDirty && (
            <TextField
              label="Note (optional)"
              hint="Describes this version in the history and the audit log."
              value={draft.note}
              onChange={(note) => change({ note })}
              problem={form.problem("note")}
            />
          )}
        </ResourceForm>
      )}
      {newDetectorFor && (
        <NewDetectorDialog
          catalog={catalog.filter(({ reads }) => reads[newDetectorFor].length > 0)}
          onCreated={({ id }) => {
            const side = `${newDetectorFor}_rules` as const;
            change({ [side]: [...draft[side], newRule(id)] });
          }}
          onClose={() => setNewDetectorFor(undefined)}
        />
      )}
    </>
  );
}
