/** Rows of parameters: name and type of each. Objects and lists contain further rows. */
import type { AppError } from "../../contract/errors.ts";
import { AreaField } from "../ui/fields/field.tsx";
import { findProblem } from "../ui/find-problem.ts";
import { Icon } from "../ui/icon.tsx";
import { TYPE_LABELS } from "./describe-shape.ts";
import { LimitFields, type ShapeProps } from "./limit-fields.tsx";
import {
  changeType,
  type FormType,
  newShape,
  type ParameterDraft,
  type ShapeDraft,
} from "./shape-draft.ts";

interface MemberRowsProps extends ShapeProps {
  /** Position of the object: "2.1". Empty for the outermost. */
  number: string;
  /** Name of the object. */
  name: string;
}

export function MemberRows({ shape, onChange, error, at, number, name }: MemberRowsProps) {
  const { parameters, isClosed } = shape;
  const replace = (index: number, next: readonly ParameterDraft[]) =>
    onChange({ ...shape, parameters: parameters.toSpliced(index, 1, ...next) });
  const target = number && <span className="visually-hidden"> to parameter {number}</span>;
  return (
    <>
      {parameters.map((parameter, index) => (
        <ParameterRow
          // biome-ignore lint/suspicious/noArrayIndexKey: parameters have no other identity
          key={index}
          parameter={parameter}
          onChange={(next) => replace(index, [next])}
          onRemove={() => replace(index, [])}
          number={number ? `${number}.${index + 1}` : String(index + 1)}
          error={error}
          at={`${at}.parameters[${index}]`}
        />
      ))}
      <div className="row">
        <button
          type="button"
          className="button small"
          onClick={() => {
            const added = { name: "", required: false, shape: newShape("string") };
            onChange({ ...shape, parameters: [...parameters, added] });
          }}
        >
          <Icon name="plus" /> Add parameter{target}
        </button>
        {isClosed !== undefined && (
          <label className="inline">
            <input
              type="checkbox"
              checked={isClosed}
              onChange={(event) => onChange({ ...shape, isClosed: event.target.checked })}
            />
            {number ? `No other members of ${name || number}` : "No other arguments"}
          </label>
        )}
      </div>
    </>
  );
}

interface ParameterRowProps {
  parameter: ParameterDraft;
  onChange: (parameter: ParameterDraft) => void;
  onRemove: () => void;
  number: string;
  error: AppError | undefined;
  at: string;
}

function ParameterRow(props: ParameterRowProps) {
  const { parameter, onChange, onRemove, number, error, at } = props;
  const { name, required, shape } = parameter;
  const changeShape = (next: ShapeDraft) => onChange({ ...parameter, shape: next });
  const title = `Parameter ${number}`;
  const problem = findProblem(error, `${at}.name`);
  return (
    <fieldset className="field pairs parameter">
      <legend className="visually-hidden">{title}</legend>
      <div className="pair">
        <input
          aria-label={`${title}: name`}
          aria-invalid={problem ? true : undefined}
          placeholder="name"
          value={name}
          spellCheck={false}
          required
          onChange={(event) => onChange({ ...parameter, name: event.target.value })}
        />
        <TypeSelect label={`${title}: type`} shape={shape} onChange={changeShape} />
        <label className="inline">
          <input
            type="checkbox"
            checked={required}
            onChange={(event) => onChange({ ...parameter, required: event.target.checked })}
          />
          required
        </label>
        <button
          type="button"
          className="button quiet"
          aria-label={`Remove parameter ${number}`}
          onClick={onRemove}
        >
          <Icon name="cross" />
        </button>
      </div>
      {problem && <p className="problem">{problem}</p>}
      <ShapeFields {...{ shape, error, at, number, name }} onChange={changeShape} />
    </fieldset>
  );
}

interface TypeSelectProps {
  label: string;
  shape: ShapeDraft;
  onChange: (shape: ShapeDraft) => void;
}

function TypeSelect({ label, shape, onChange }: TypeSelectProps) {
  const { json, ...types } = TYPE_LABELS;
  const options = Object.entries(shape.type === "json" ? { json, ...types } : types);
  return (
    <select
      aria-label={label}
      value={shape.type}
      onChange={(event) => {
        const type = event.target.value;
        // The other options are the keys of TYPE_LABELS.
        if (type !== "json") onChange(changeType(shape, type as FormType));
      }}
    >
      {options.map(([type, text]) => (
        <option key={type} value={type}>
          {text}
        </option>
      ))}
    </select>
  );
}

/** Limits of a parameter or of the items of a list, and what it contains. */
function ShapeFields({ shape, onChange, error, at, number, name }: MemberRowsProps) {
  const { type } = shape;
  if (type === "json") {
    return (
      <AreaField
        label={`JSON Schema of parameter ${number}`}
        code
        rows={Math.min(12, shape.other.split("\n").length + 1)}
        value={shape.other}
        onChange={(other) => onChange({ ...shape, other })}
        problem={findProblem(error, at)}
      />
    );
  }
  const items = shape.items ?? newShape("any");
  const changeItems = (next: ShapeDraft) => onChange({ ...shape, items: next });
  return (
    <>
      <LimitFields {...{ shape, onChange, error, at }} type={type} />
      {type === "object" && (
        <div className="nested">
          <MemberRows {...{ shape, onChange, error, at, number, name }} />
        </div>
      )}
      {type === "array" && (
        <div className="nested">
          <div className="row tight">
            <span>Items:</span>
            <TypeSelect
              label={`Parameter ${number}: type of the items`}
              shape={items}
              onChange={changeItems}
            />
          </div>
          <ShapeFields
            shape={items}
            onChange={changeItems}
            error={error}
            at={`${at}.items`}
            number={`${number}.items`}
            name={`the items of ${name || number}`}
          />
        </div>
      )}
    </>
  );
}
