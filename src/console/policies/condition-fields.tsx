/** Fields for the condition of a gate or rule: groups of comparisons, with JSON as a second view. */
import { MAX_CONDITION_DEPTH } from "../../contract/guard/condition-depth.ts";
import { SelectField } from "../ui/fields/field.tsx";
import { Icon } from "../ui/icon.tsx";
import { JsonView } from "../ui/json-view.tsx";
import { tryParseJson } from "../ui/parse-json.ts";
import { ComparisonFields } from "./comparison-fields.tsx";
import {
  type ConditionDraft,
  type ConditionGroup,
  type ConditionItem,
  isGroup,
  joinItems,
  levelsOf,
  newLine,
  numberComparisons,
  toConditionDraft,
} from "./condition-draft.ts";
import { readCondition } from "./read-condition.ts";

const GROUP_LABELS: Record<ConditionGroup["kind"], string> = {
  all: "all of these match",
  any: "any of these matches",
  none: "none of these matches",
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
      options={[
        ["always", "always"],
        ...(when.kind === "json"
          ? [["json", "when the JSON below matches"] as const]
          : Object.entries(GROUP_LABELS).map(([kind, text]) => [kind, `when ${text}`] as const)),
      ]}
      onChange={(kind) => {
        if (kind === "always") return onChange({ kind });
        const items = "items" in when ? when.items : [newLine()];
        // The other options are the keys of GROUP_LABELS.
        if (kind !== "json") onChange({ kind: kind as ConditionGroup["kind"], items });
      }}
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
  const group = when.kind === "json" ? undefined : when;
  const numbered = group && problem ? numberComparisons(group, problem) : "";
  return (
    <JsonView
      label={`Condition of ${of}`}
      what="a condition"
      hint="{all: […]}, {any: […]}, {not: …} or {field, op, value}, nested as needed."
      edited={when.kind === "json" ? when.text : undefined}
      format={() => JSON.stringify(when.stored ?? (group && joinItems(group)), null, 2)}
      onEdit={(text) => onChange({ kind: "json", text })}
      onShowFields={(text) => {
        const condition = readCondition(tryParseJson(text));
        if (condition) onChange(toConditionDraft(condition));
        return condition !== undefined;
      }}
      problem={problem}
    >
      {group && (
        <fieldset className="field pairs">
          <legend className="visually-hidden">Condition of {of}</legend>
          <GroupFields
            group={group}
            onChange={({ kind, items }) => onChange({ kind, items })}
            number=""
            level={levelsOf(group)}
            problem={numbered}
          />
          {numbered && <p className="problem">{numbered}</p>}
        </fieldset>
      )}
    </JsonView>
  );
}

interface GroupFieldsProps {
  group: ConditionGroup;
  onChange: (group: ConditionGroup) => void;
  /** Position of the group: "2.1". Empty for the outermost. */
  number: string;
  /** Levels of the condition, of this group and those around it. */
  level: number;
  /** Problems of the condition, with the positions of the comparisons. */
  problem: string;
}

function GroupFields(props: GroupFieldsProps) {
  const { group, onChange, number, level, problem } = props;
  const { kind, items } = group;
  const replace = (at: number, next: ConditionItem | undefined) =>
    onChange({ kind, items: items.toSpliced(at, 1, ...(next ? [next] : [])) });
  const add = (item: ConditionItem) => onChange({ kind, items: [...items, item] });
  const target = number && <span className="visually-hidden"> to group {number}</span>;
  return (
    <>
      {items.map((item, index) => {
        const shared = {
          number: number ? `${number}.${index + 1}` : String(index + 1),
          onRemove: items.length > 1 ? () => replace(index, undefined) : undefined,
        };
        return isGroup(item) ? (
          <NestedGroup
            // biome-ignore lint/suspicious/noArrayIndexKey: groups have no other identity
            key={index}
            {...shared}
            group={item}
            onChange={(next) => replace(index, next)}
            level={level + levelsOf(item)}
            problem={problem}
          />
        ) : (
          <ComparisonFields
            // biome-ignore lint/suspicious/noArrayIndexKey: comparisons have no other identity
            key={index}
            {...shared}
            line={item}
            onChange={(line) => replace(index, line)}
            isInvalid={problem.includes(`Comparison ${shared.number}:`)}
          />
        );
      })}
      <div className="row">
        <button type="button" className="button small" onClick={() => add(newLine())}>
          <Icon name="plus" /> Add comparison{target}
        </button>
        {level < MAX_CONDITION_DEPTH && (
          <button
            type="button"
            className="button small"
            onClick={() => add({ kind: kind === "any" ? "all" : "any", items: [newLine()] })}
          >
            <Icon name="plus" /> Add group{target}
          </button>
        )}
      </div>
    </>
  );
}

interface NestedGroupProps extends GroupFieldsProps {
  /** Undefined: it is the only one. */
  onRemove: (() => void) | undefined;
}

function NestedGroup({ onRemove, ...inner }: NestedGroupProps) {
  const { group, onChange, number } = inner;
  return (
    <fieldset className="field pairs nested condition-group">
      <legend className="visually-hidden">Group {number}</legend>
      <div className="row tight">
        <select
          aria-label={`Group ${number}: applies`}
          value={group.kind}
          onChange={(event) =>
            // The options are the keys of GROUP_LABELS.
            onChange({ ...group, kind: event.target.value as ConditionGroup["kind"] })
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
          aria-label={`Remove group ${number}`}
          disabled={!onRemove}
          onClick={onRemove}
        >
          <Icon name="cross" />
        </button>
      </div>
      <GroupFields {...inner} />
    </fieldset>
  );
}
