/** Fields for the condition of a gate or rule: groups of comparisons, or JSON. */
import { AreaField, SelectField } from "../ui/field.tsx";
import { Icon } from "../ui/icon.tsx";
import { ComparisonFields } from "./comparison-fields.tsx";
import {
  type ConditionDraft,
  type ConditionGroup,
  type ConditionItem,
  isGroup,
  joinItems,
  newLine,
} from "./condition-draft.ts";

const GROUP_LABELS: Record<ConditionGroup["kind"], string> = {
  all: "when all of these match",
  any: "when any of these matches",
  none: "when none of these matches",
};
const KIND_LABELS: Record<ConditionDraft["kind"], string> = {
  always: "always",
  ...GROUP_LABELS,
  json: "when this JSON condition matches",
};

interface ConditionProps {
  when: ConditionDraft;
  onChange: (when: ConditionDraft) => void;
}

/** Selects how the comparisons of a condition are joined. */
export function ConditionKindField({ when, onChange }: ConditionProps) {
  return (
    <SelectField
      label="Applies"
      value={when.kind}
      options={Object.entries(KIND_LABELS)}
      // The options are the keys of KIND_LABELS.
      onChange={(kind) => onChange(convert(when, kind as ConditionDraft["kind"]))}
    />
  );
}

interface ConditionFieldsProps extends ConditionProps {
  /** Name of the gate or rule, for screen readers. */
  of: string;
  problem: string | undefined;
}

export function ConditionFields({ of, when, onChange, problem }: ConditionFieldsProps) {
  if (when.kind === "always") return null;
  if (when.kind === "json") {
    return (
      <AreaField
        label="Condition"
        code
        rows={Math.min(16, when.text.split("\n").length + 1)}
        hint="{all: […]}, {any: […]}, {not: …} or {field, op, value}, nested as needed."
        value={when.text}
        onChange={(text) => onChange({ kind: "json", text })}
        problem={problem}
      />
    );
  }
  return (
    <fieldset className="field pairs">
      <legend className="visually-hidden">Condition of {of}</legend>
      <GroupFields
        group={when}
        onChange={({ kind, items }) => onChange({ kind, items })}
        number=""
      />
      {problem && <p className="problem">{numberComparisons(problem)}</p>}
    </fieldset>
  );
}

/** Converts the draft to another kind, and keeps what it can express. */
function convert(when: ConditionDraft, kind: ConditionDraft["kind"]): ConditionDraft {
  if (kind === "always") return { kind };
  if (kind !== "json") return { kind, items: "items" in when ? when.items : [newLine()] };
  if ("text" in when) return when;
  const group: ConditionGroup = "items" in when ? when : { kind: "all", items: [newLine()] };
  return { kind, text: JSON.stringify(when.stored ?? joinItems(group), null, 2) };
}

/** A group in a group in a group: deeper ones are edited as JSON. */
const MAX_NUMBER_LENGTH = "1.1".length;

interface GroupFieldsProps {
  group: ConditionGroup;
  onChange: (group: ConditionGroup) => void;
  /** Position of the group: "2.1". Empty for the outermost. */
  number: string;
}

function GroupFields({ group: { kind, items }, onChange, number }: GroupFieldsProps) {
  const replace = (at: number, next: ConditionItem | undefined) =>
    onChange({ kind, items: items.toSpliced(at, 1, ...(next ? [next] : [])) });
  const add = (item: ConditionItem) => onChange({ kind, items: [...items, item] });
  return (
    <>
      {items.map((item, index) => {
        const own = number ? `${number}.${index + 1}` : String(index + 1);
        const onRemove = items.length > 1 ? () => replace(index, undefined) : undefined;
        if (!isGroup(item)) {
          return (
            <ComparisonFields
              // biome-ignore lint/suspicious/noArrayIndexKey: comparisons have no other identity
              key={index}
              number={own}
              line={item}
              onChange={(line) => replace(index, line)}
              onRemove={onRemove}
            />
          );
        }
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: groups have no other identity
          <fieldset className="field pairs condition-group" key={index}>
            <legend className="visually-hidden">Group {own}</legend>
            <div className="row tight">
              <select
                aria-label={`Group ${own}: applies`}
                value={item.kind}
                onChange={(event) =>
                  // The options are the keys of GROUP_LABELS.
                  replace(index, { ...item, kind: event.target.value as ConditionGroup["kind"] })
                }
              >
                {Object.entries(GROUP_LABELS).map(([name, text]) => (
                  <option key={name} value={name}>
                    {text}
                  </option>
                ))}
              </select>
              <button
                type="button"
                className="button quiet"
                aria-label={`Remove group ${own}`}
                disabled={!onRemove}
                onClick={onRemove}
              >
                <Icon name="cross" />
              </button>
            </div>
            <GroupFields group={item} onChange={(next) => replace(index, next)} number={own} />
          </fieldset>
        );
      })}
      <div className="row">
        <button type="button" className="button small" onClick={() => add(newLine())}>
          <Icon name="plus" /> Add comparison
        </button>
        {number.length < MAX_NUMBER_LENGTH && (
          <button
            type="button"
            className="button small"
            onClick={() => add({ kind: kind === "any" ? "all" : "any", items: [newLine()] })}
          >
            <Icon name="plus" /> Add group
          </button>
        )}
      </div>
    </>
  );
}

/** Replaces the path of a comparison by its position: `all[1].any[0].field: …` becomes `Comparison 2.1: field: …`. */
const numberComparisons = (problem: string): string =>
  problem.replace(/(^|; )((?:(?:all|any)\[\d+\]|not)\.?)+(?:: )?/g, (path, before: string) => {
    const positions = [...path.matchAll(/\[(\d+)\]/g)].map(([, index]) => Number(index) + 1);
    return positions.length > 0 ? `${before}Comparison ${positions.join(".")}: ` : before;
  });
