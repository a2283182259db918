/** Tests the saved policy with a payload. Nothing is recorded. */
import type { Direction, Protocol, Verdict } from "../../contract/guard/evaluate.ts";
import type { Policy } from "../../contract/guard/policies.ts";
import { call } from "../api.ts";
import { policies } from "../endpoints.ts";
import { useSession } from "../session.ts";
import { AreaField, SelectField, TextField } from "../ui/field.tsx";
import { findProblem, findProblemsBelow } from "../ui/find-problem.ts";
import { Section } from "../ui/form.tsx";
import { Icon } from "../ui/icon.tsx";
import { Failure } from "../ui/page.tsx";
import { parseJson } from "../ui/schema-draft.ts";
import { useAction } from "../use-action.ts";
import { SAMPLES } from "./payload-samples.ts";
import { TestVerdict } from "./test-verdict.tsx";

/** Input of a test, and the verdict of the last run. */
export interface PolicyTrial {
  sample: string;
  payload: string;
  direction: Direction;
  protocol: Protocol;
  consumer_id: string;
  attributes: string;
  result: { payload: unknown; verdict: Verdict } | undefined;
}

export const newTrial = (): PolicyTrial => ({
  ...toTrial(Object.keys(SAMPLES)[0] ?? ""),
  consumer_id: "",
  attributes: "",
  result: undefined,
});

const DIRECTIONS: Record<Direction, string> = { input: "input", output: "output" };
const PROTOCOLS: Record<Protocol, string> = { all: "all", llm: "llm", mcp: "mcp", a2a: "a2a" };

interface PolicyTestProps {
  policy: Policy;
  trial: PolicyTrial;
  onChange: (changes: Partial<PolicyTrial>) => void;
  /** There are changes that the test does not include. */
  unsaved: boolean;
}

export function PolicyTest({ policy, trial, onChange, unsaved }: PolicyTestProps) {
  const { may } = useSession();
  // A changed input clears the last verdict.
  const change = (changes: Partial<PolicyTrial>) => onChange({ result: undefined, ...changes });
  const test = useAction(async () => {
    change({});
    const { direction, protocol, consumer_id } = trial;
    const payload = parseJson(trial.payload, "payload") as Record<string, unknown>;
    const attributes = trial.attributes.trim()
      ? (parseJson(trial.attributes, "attributes") as Record<string, unknown>)
      : undefined;
    const verdict = await call(policies.test, {
      params: { policy_id: policy.id },
      body: { payload, direction, protocol, consumer_id, attributes },
    });
    change({ result: { payload, verdict } });
  });
  if (!may("write")) {
    return <p className="empty">Testing requires a role that may change policies.</p>;
  }
  return (
    <>
      <div className={unsaved ? "note warn" : "note"}>
        <Icon name={unsaved ? "warning" : "flag"} />
        <p>
          {unsaved && <strong>Save your changes to test them. </strong>}
          Tests the saved version {policy.version}. Nothing is recorded in Activity.
        </p>
      </div>
      <div className="try">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void test.run();
          }}
        >
          <Section title="Input">
            <SelectField
              label="Sample"
              value={trial.sample}
              options={Object.keys(SAMPLES).map((name) => [name, name] as const)}
              onChange={(sample) => change(toTrial(sample))}
            />
            <AreaField
              label="Payload"
              code
              required
              rows={14}
              value={trial.payload}
              onChange={(payload) => change({ payload })}
              problem={findProblemsBelow(test.error, "payload")}
            />
            <div className="columns">
              <SelectField
                label="Direction"
                value={trial.direction}
                options={Object.entries(DIRECTIONS)}
                // The options are the keys of DIRECTIONS.
                onChange={(direction) => change({ direction: direction as Direction })}
              />
              <SelectField
                label="Protocol"
                value={trial.protocol}
                options={Object.entries(PROTOCOLS)}
                // The options are the keys of PROTOCOLS.
                onChange={(protocol) => change({ protocol: protocol as Protocol })}
              />
            </div>
            <TextField
              label="consumer_id (optional)"
              value={trial.consumer_id}
              onChange={(consumer_id) => change({ consumer_id })}
              problem={findProblem(test.error, "consumer_id")}
            />
            <AreaField
              label="Attributes (optional)"
              code
              rows={3}
              hint='For conditions, as JSON: {"tool": {"name": "bash"}, "model": {"name": "…"}}'
              value={trial.attributes}
              onChange={(attributes) => change({ attributes })}
              problem={findProblemsBelow(test.error, "attributes")}
            />
            <button type="submit" className="button primary" disabled={test.busy}>
              {test.busy ? "Running…" : "Run test"}
            </button>
          </Section>
        </form>
        <section className="card" aria-label="Verdict">
          <h2>Verdict</h2>
          <div role="status">
            {trial.result ? (
              <TestVerdict {...trial.result} />
            ) : (
              !test.error && <p className="muted">Run the test to see the verdict.</p>
            )}
          </div>
          <Failure title="The test failed." error={test.error} />
        </section>
      </div>
    </>
  );
}

function toTrial(sample: string) {
  const { payload, direction, protocol } = SAMPLES[sample] ?? {};
  return {
    sample,
    payload: JSON.stringify(payload ?? {}, null, 2),
    direction: direction ?? "input",
    protocol: protocol ?? "llm",
  };
}
