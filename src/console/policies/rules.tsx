/** The rules of one direction: a detector each, and what is done about what it finds. */
import type { DetectorResource } from "../../contract/detectors.ts";
import type { AppError } from "../../contract/errors.ts";
import type { Direction } from "../../contract/evaluate.ts";
import type { DetectorKind } from "../detectors/detector-form.tsx";
import { Link } from "../router.tsx";
import { Badge } from "../ui/badge.tsx";
import { SelectField } from "../ui/field.tsx";
import { findProblem, findProblemsBelow } from "../ui/form.tsx";
import { moveItem, OrderButtons } from "../ui/order-buttons.tsx";
import { newRule, type RuleDraft } from "./policy-draft.ts";
import { RuleFields } from "./rule-fields.tsx";

interface RulesProps {
  direction: Direction;
  rules: readonly RuleDraft[];
  onChange: (rules: readonly RuleDraft[]) => void;
  detectors: readonly DetectorResource[];
  catalog: readonly DetectorKind[];
  error: AppError | undefined;
}

const ABOUT: Record<Direction, string> = {
  input: "No rule yet: what goes to a model or tool is not looked at.",
  output: "No rule yet: what comes back from a model or tool is not looked at.",
};

export function Rules(props: RulesProps) {
  const { direction, rules, onChange, detectors, catalog, error } = props;
  const entryOf = (id: string) => {
    const detector = detectors.find((one) => one.id === id);
    return catalog.find(({ kind }) => kind === detector?.kind);
  };
  const able = detectors.filter(({ id }) => entryOf(id)?.reads[direction].length);
  return (
    <>
      {rules.length === 0 && <p className="prose muted">{ABOUT[direction]}</p>}
      <ol className="attached">
        {rules.map((rule, index) => {
          const at = `${direction}_rules[${index}]`;
          const detector = detectors.find(({ id }) => id === rule.detector_id);
          const name = detector?.name ?? rule.detector_id;
          const problem = findProblem(error, `${at}.detector_id`);
          return (
            <li key={rule.key}>
              <div className="attached-head">
                <strong>
                  {index + 1}. <Link to={`/detectors/${rule.detector_id}`}>{name}</Link>
                </strong>
                <span className="muted">{entryOf(rule.detector_id)?.title}</span>
                {detector?.enabled === false && (
                  <Badge tone="warn" icon="minus" text="detector disabled" />
                )}
                <OrderButtons
                  name={name}
                  place={{ index, count: rules.length }}
                  onMove={(by) => onChange(moveItem(rules, index, by))}
                  onRemove={() => onChange(rules.filter((old) => old !== rule))}
                />
              </div>
              {problem && <p className="problem">{problem}</p>}
              <RuleFields
                name={name}
                value={rule}
                actions={actionsFor(direction, entryOf(rule.detector_id))}
                onChange={(changes) =>
                  onChange(rules.map((old) => (old === rule ? { ...old, ...changes } : old)))
                }
                problems={{
                  action: findProblem(error, `${at}.action`),
                  when: findProblemsBelow(error, `${at}.when`),
                }}
              />
            </li>
          );
        })}
      </ol>
      {able.length > 0 ? (
        <SelectField
          label="Add a rule with the detector"
          value=""
          options={[
            ["", "Choose…"],
            ...able.map(({ id, name }) => [id, `${name} (${entryOf(id)?.title})`] as const),
          ]}
          onChange={(id) => {
            if (id) onChange([...rules, newRule(id)]);
          }}
        />
      ) : (
        <p>
          No detector looks at {direction} yet. <Link to="/detectors/new">Create a detector</Link>{" "}
          first.
        </p>
      )}
    </>
  );
}

/** What cannot mask cannot transform; nobody is asked about what was already answered. */
const actionsFor = (
  direction: Direction,
  entry: DetectorKind | undefined,
): RuleDraft["action"][] => [
  "block",
  ...(direction === "input" ? (["ask"] as const) : []),
  ...(entry?.masks ? (["transform"] as const) : []),
  "report",
];
