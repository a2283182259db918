/** Rules of one direction: each has a detector, and an action for its findings. */

import type { AppError } from "../../contract/errors.ts";
import { ORIGINS, type TextOrigin } from "../../contract/guard/actions.ts";
import type { DetectorResource } from "../../contract/guard/detectors.ts";
import type { Direction } from "../../contract/guard/evaluate.ts";
import type { DetectorKind } from "../detectors/detector-form.tsx";
import { Link } from "../router.tsx";
import { Badge } from "../ui/badge.tsx";
import { SelectField } from "../ui/fields/field.tsx";
import { MultiSelectField } from "../ui/fields/multi-select-field.tsx";
import { findProblem, findProblemsBelow } from "../ui/find-problem.ts";
import { Icon } from "../ui/icon.tsx";
import { moveItem, OrderButtons } from "../ui/order-buttons.tsx";
import { capitalize } from "../ui/text.ts";
import { newRule, type RuleDraft, toPreview } from "./policy-draft.ts";
import { describeRule } from "./policy-sentences.ts";
import { RuleFields } from "./rule-fields.tsx";

interface RulesProps {
  direction: Direction;
  rules: readonly RuleDraft[];
  onChange: (rules: readonly RuleDraft[]) => void;
  detectors: readonly DetectorResource[];
  catalog: readonly DetectorKind[];
  error: AppError | undefined;
  /** Opens the dialog of a new detector for a rule. */
  onNewDetector: () => void;
}

const WITHHELD_SOURCES: readonly string[] = ["tool_result", "attachment"];

const EMPTY_TEXTS: Record<Direction, string> = {
  input: "No rules yet. Content sent to a model or tool is not inspected.",
  output: "No rules yet. Responses of a model or tool are not inspected.",
};

export function Rules(props: RulesProps) {
  const { direction, rules, onChange, detectors, catalog, error, onNewDetector } = props;
  const findKind = (id: string) => {
    const detector = detectors.find((candidate) => candidate.id === id);
    return catalog.find(({ kind }) => kind === detector?.kind);
  };
  const suitable = detectors.filter(({ id }) => findKind(id)?.reads[direction].length);
  return (
    <>
      {rules.length === 0 && <p className="prose muted">{EMPTY_TEXTS[direction]}</p>}
      <ol className="attached">
        {rules.map((rule, index) => {
          const at = `${direction}_rules[${index}]`;
          const detector = detectors.find(({ id }) => id === rule.detector_id);
          const name = detector?.name ?? rule.detector_id;
          const problem = findProblem(error, `${at}.detector_id`);
          const preview = toPreview(rule);
          return (
            <li key={rule.key}>
              <div className="attached-head">
                <strong>
                  {index + 1}. <Link to={`/detectors/${rule.detector_id}`}>{name}</Link>
                </strong>
                <span className="muted">{findKind(rule.detector_id)?.title}</span>
                {detector?.enabled === false && (
                  <Badge tone="warn" icon="minus" text="detector disabled" />
                )}
                <OrderButtons
                  name={name}
                  position={{ index, count: rules.length }}
                  onMove={(by) => onChange(moveItem(rules, index, by))}
                  onRemove={() => onChange(rules.filter((old) => old !== rule))}
                />
              </div>
              {problem && <p className="problem">{problem}</p>}
              {preview && <p className="sentence">{capitalize(describeRule(preview, name))}.</p>}
              <RuleFields
                name={name}
                value={rule}
                actions={actionsFor(direction, findKind(rule.detector_id))}
                onChange={(changes) =>
                  onChange(rules.map((old) => (old === rule ? { ...old, ...changes } : old)))
                }
                problems={{
                  action: findProblem(error, `${at}.action`),
                  when: findProblemsBelow(error, `${at}.when`),
                }}
              />
              <MultiSelectField
                label="Origins"
                noun="origin"
                hint="Texts that the rule reads. None selected: the default of the detector."
                names={ORIGINS}
                selected={rule.origins ?? []}
                onChange={({ selected }) => {
                  // The names are origins.
                  const origins = selected.length > 0 ? (selected as TextOrigin[]) : null;
                  onChange(rules.map((old) => (old === rule ? { ...old, origins } : old)));
                }}
                problem={findProblem(error, `${at}.origins`)}
              />
            </li>
          );
        })}
      </ol>
      <div className="add-rule">
        {suitable.length > 0 && (
          <SelectField
            label="Add rule with detector"
            value=""
            options={[
              ["", "Select…"],
              ...suitable.map(({ id, name }) => [id, `${name} (${findKind(id)?.title})`] as const),
            ]}
            onChange={(id) => {
              if (id) onChange([...rules, newRule(id)]);
            }}
          />
        )}
        <button type="button" className="button" onClick={onNewDetector}>
          <Icon name="plus" /> New detector
        </button>
      </div>
    </>
  );
}

/** Transform needs a detector that masks, withhold one that reads tool results or documents; ask applies only to input. */
const actionsFor = (
  direction: Direction,
  entry: DetectorKind | undefined,
): RuleDraft["action"][] => [
  "block",
  ...(direction === "input" ? (["ask"] as const) : []),
  ...(entry?.masks ? (["transform"] as const) : []),
  ...(entry?.reads[direction].some((source) => WITHHELD_SOURCES.includes(source))
    ? (["withhold"] as const)
    : []),
  "report",
];
