/** Tests a policy, including unsaved changes, with plain text or a payload. Nothing is recorded. */
import { type KeyboardEvent, useEffect, useEffectEvent } from "react";
import type { Policy, PolicyInput } from "../../contract/guard/policies.ts";
import type { PolicyTestResult } from "../../contract/guard/test-policy.ts";
import { call } from "../api.ts";
import { policies } from "../endpoints.ts";
import { useSession } from "../session.ts";
import { toObject } from "../tools/object-draft.ts";
import { Section } from "../ui/form.tsx";
import { Icon } from "../ui/icon.tsx";
import { Failure } from "../ui/page.tsx";
import { useAction } from "../use-action.ts";
import { nameDraftFields } from "./name-draft-fields.ts";
import { readTextAt } from "./test-content.ts";
import { newTestInput, TestFields, type TestInput, toTestRequest } from "./test-fields.tsx";
import { TestVerdict } from "./test-verdict.tsx";

/** Input of a test, and the result of the last run. */
export interface PolicyTrial {
  input: TestInput;
  result: TrialResult | undefined;
}

export interface TrialResult {
  tested: PolicyTestResult;
  /** The tested text, and the text after masking. Equal if nothing was changed. */
  before: string;
  after: string;
  /** The content was entered as plain text. */
  isPlain: boolean;
}

export const newTrial = (suggested: Partial<TestInput>): PolicyTrial => ({
  input: newTestInput(suggested),
  result: undefined,
});

interface PolicyTestProps {
  policy: Policy;
  /** Throws if the draft is incomplete. Undefined: no unsaved changes. */
  draft: (() => PolicyInput) | undefined;
  trial: PolicyTrial;
  onChange: (changes: Partial<PolicyTrial>) => void;
}

export function PolicyTest({ policy, draft, trial, onChange }: PolicyTestProps) {
  const { may } = useSession();
  const { input, result } = trial;
  // The policy may change before the tab is opened again.
  const clear = useEffectEvent(() => onChange({ result: undefined }));
  useEffect(() => () => clear(), []);
  const test = useAction(async () => {
    onChange({ result: undefined });
    const { path, ...request } = toTestRequest(input);
    const attributes = toObject(input.attributes, "attributes");
    const tested = await call(policies.test, {
      params: { policy_id: policy.id },
      body: {
        ...request,
        consumer_id: input.consumer_id,
        attributes,
        draft: draft?.() ?? null,
      },
    });
    const before = readTextAt(request.payload, path);
    const { transformed_payload } = tested;
    const after = transformed_payload ? readTextAt(transformed_payload, path) : before;
    onChange({ result: { tested, before, after, isPlain: input.kind !== "json" } });
  });
  if (!may("write")) {
    return <p className="empty">Testing requires a role that may change policies.</p>;
  }
  const runByKey = (event: KeyboardEvent<HTMLFormElement>) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    if (!test.busy) event.currentTarget.requestSubmit();
  };
  return (
    <>
      <div className="note">
        <Icon name="flag" />
        <p>
          {draft
            ? "Tests the policy with its unsaved changes."
            : `Tests the saved version ${policy.version}.`}{" "}
          Nothing is recorded in Activity.
        </p>
      </div>
      <div className="try">
        <form
          onKeyDown={runByKey}
          onSubmit={(event) => {
            event.preventDefault();
            void test.run();
          }}
        >
          <Section title="Input">
            <TestFields
              input={input}
              // A changed input clears the last verdict.
              onChange={(changes) =>
                onChange({ input: { ...input, ...changes }, result: undefined })
              }
              error={test.error}
            />
            <div className="row">
              <button
                type="submit"
                className="button primary"
                disabled={test.busy}
                aria-keyshortcuts="Control+Enter Meta+Enter"
              >
                {test.busy ? "Running…" : "Run test"}
              </button>
              <span className="hint">
                or press <kbd>{IS_MAC ? "⌘" : "Ctrl"}</kbd> <kbd>Enter</kbd>
              </span>
            </div>
          </Section>
        </form>
        <section className="card" aria-label="Verdict">
          <h2>Verdict</h2>
          <div role="status">
            {result ? (
              <TestVerdict result={result} />
            ) : (
              !test.error && <p className="muted">Run the test to see the verdict.</p>
            )}
          </div>
          <Failure title="The test failed." error={nameDraftFields(test.error)} />
        </section>
      </div>
    </>
  );
}

const IS_MAC = /Mac|iPhone|iPad/.test(navigator.userAgent);
