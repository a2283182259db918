/** Gates of a policy: conditions on attributes, checked before any detector runs. */
import type { AppError } from "../../contract/errors.ts";
import { DetectorSettings } from "../detectors/detector-settings.tsx";
import { TextField } from "../ui/fields/field.tsx";
import type { Schema } from "../ui/fields/schema-draft.ts";
import { findProblem, findProblemsBelow } from "../ui/find-problem.ts";
import { Icon } from "../ui/icon.tsx";
import { moveItem, OrderButtons } from "../ui/order-buttons.tsx";
import { capitalize } from "../ui/text.ts";
import { type GateDraft, MASKING_KIND, newGate, toPreview } from "./policy-draft.ts";
import { describeGate } from "./policy-sentences.ts";
import { RuleFields } from "./rule-fields.tsx";

interface GatesProps {
  gates: readonly GateDraft[];
  onChange: (gates: readonly GateDraft[]) => void;
  /** Schema of the masking settings of a gate. */
  masking: Schema;
  error: AppError | undefined;
}

export function Gates({ gates, onChange, masking, error }: GatesProps) {
  return (
    <>
      {gates.length === 0 && (
        <p className="prose muted">
          No gates yet. A gate blocks, asks or allows based on attributes such as the consumer or
          the tool, without inspecting content.
        </p>
      )}
      <ol className="attached">
        {gates.map((gate, index) => {
          const at = `gates[${index}]`;
          const name = gate.name || `gate ${index + 1}`;
          const preview = toPreview(gate);
          const change = (changes: Partial<GateDraft>) =>
            onChange(gates.map((old) => (old === gate ? { ...old, ...changes } : old)));
          return (
            <li key={gate.key}>
              <div className="attached-head">
                <strong>
                  {index + 1}. {name}
                </strong>
                <OrderButtons
                  name={name}
                  position={{ index, count: gates.length }}
                  onMove={(by) => onChange(moveItem(gates, index, by))}
                  onRemove={() => onChange(gates.filter((old) => old !== gate))}
                />
              </div>
              {preview && <p className="sentence">{capitalize(describeGate(preview))}.</p>}
              <TextField
                label="Name"
                required
                value={gate.name}
                onChange={(next) => change({ name: next })}
                problem={findProblem(error, `${at}.name`)}
              />
              <RuleFields
                name={name}
                value={gate}
                actions={["block", "ask", "transform", "report", "skip"]}
                onChange={change}
                problems={{
                  action: findProblem(error, `${at}.action`),
                  when: findProblemsBelow(error, `${at}.when`),
                }}
              />
              {gate.action === "transform" && (
                <fieldset className="plain">
                  <legend className="prose">Masking of {name}</legend>
                  <DetectorSettings
                    kind={MASKING_KIND}
                    schema={masking}
                    draft={gate.mask}
                    onChange={(mask) => change({ mask, storedMask: null })}
                    error={error}
                    at={`${at}.mask`}
                  />
                </fieldset>
              )}
            </li>
          );
        })}
      </ol>
      <button
        type="button"
        className="button"
        onClick={() => onChange([...gates, newGate(masking)])}
      >
        <Icon name="plus" /> Add gate
      </button>
    </>
  );
}
