/** Form of a JSON object: a row with name, type and value for each member, with JSON as a second view. */
import { useId } from "react";
import { isObject } from "../../lib/json/json-object.ts";
import { Icon } from "../ui/icon.tsx";
import { JsonView } from "../ui/json-view.tsx";
import { tryParseJson } from "../ui/parse-json.ts";
import { capitalize } from "../ui/text.ts";
import {
  type MemberDraft,
  newMember,
  type ObjectDraft,
  toObject,
  toObjectDraft,
  type ValueType,
} from "./object-draft.ts";

const TYPE_LABELS: Record<ValueType, string> = {
  string: "text",
  number: "number",
  boolean: "yes or no",
  array: "list",
  object: "object",
  null: "null",
};

type NameChoices = readonly (readonly [name: string, label: string])[];

interface ObjectFieldProps {
  label: string;
  hint?: string;
  /** Name of one member: "argument". */
  noun: string;
  /** Suggested names. */
  names?: readonly string[];
  /** The only names, with their labels. */
  choices?: NameChoices;
  draft: ObjectDraft;
  onChange: (draft: ObjectDraft) => void;
  problem?: string | undefined;
}

export function ObjectField(props: ObjectFieldProps) {
  const { label, hint, noun, names = [], choices, draft, onChange, problem } = props;
  const listId = useId();
  return (
    <fieldset className="field pairs">
      <legend>{label}</legend>
      {hint && <p className="hint">{hint}</p>}
      <JsonView
        label={label}
        what="a JSON object"
        edited={"json" in draft ? draft.json : undefined}
        format={() => JSON.stringify(toObject(draft, label), null, 2)}
        onEdit={(json) => onChange({ json })}
        onShowFields={(text) => {
          const value = tryParseJson(text);
          if (!isObject(value)) return false;
          onChange(toObjectDraft(value));
          return true;
        }}
        problem={problem}
      >
        {"members" in draft && (
          <MemberRows
            members={draft.members}
            onChange={(members) => onChange({ members })}
            noun={noun}
            number=""
            list={names.length > 0 ? listId : undefined}
            choices={choices}
          />
        )}
        {problem && <p className="problem">{problem}</p>}
      </JsonView>
      {names.length > 0 && (
        <datalist id={listId}>
          {names.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      )}
    </fieldset>
  );
}

interface MemberRowsProps {
  members: readonly MemberDraft[];
  onChange: (members: readonly MemberDraft[]) => void;
  noun: string;
  /** Position of the list or object: "2.1". Empty for the outermost. */
  number: string;
  /** The members are items of a list, without names. */
  isList?: boolean;
  /** Id of a `datalist` with names. */
  list?: string | undefined;
  choices?: NameChoices | undefined;
}

function MemberRows(props: MemberRowsProps) {
  const { members, onChange, noun, number, isList = false, list, choices } = props;
  const replace = (index: number, next: readonly MemberDraft[]) =>
    onChange(members.toSpliced(index, 1, ...next));
  const target = number && <span className="visually-hidden"> to {`${noun} ${number}`}</span>;
  return (
    <>
      {members.map((member, index) => (
        <MemberRow
          // biome-ignore lint/suspicious/noArrayIndexKey: members have no other identity
          key={index}
          member={member}
          onChange={(next) => replace(index, [next])}
          onRemove={() => replace(index, [])}
          noun={noun}
          number={number ? `${number}.${index + 1}` : String(index + 1)}
          isList={isList}
          list={list}
          choices={choices}
        />
      ))}
      <button
        type="button"
        className="button small"
        onClick={() => {
          const isFree = ([name]: NameChoices[number]) =>
            !members.some((member) => member.name === name);
          onChange([...members, newMember(choices?.find(isFree)?.[0] ?? "")]);
        }}
      >
        <Icon name="plus" /> Add {isList ? "item" : noun}
        {target}
      </button>
    </>
  );
}

interface MemberRowProps {
  member: MemberDraft;
  onChange: (member: MemberDraft) => void;
  onRemove: () => void;
  noun: string;
  number: string;
  isList: boolean;
  list: string | undefined;
  choices: NameChoices | undefined;
}

function MemberRow(props: MemberRowProps) {
  const { member, onChange, onRemove, noun, number, isList, list, choices } = props;
  const { type } = member;
  const title = `${capitalize(noun)} ${number}`;
  return (
    <>
      <div className={isList ? "pair member of-list" : "pair member"}>
        {!isList && (
          <NameField
            label={`${title}: name`}
            value={member.name}
            list={list}
            choices={choices}
            onChange={(name) => onChange({ ...member, name })}
          />
        )}
        <select
          aria-label={`${title}: type`}
          value={type}
          // The options are the keys of TYPE_LABELS.
          onChange={(event) => onChange({ ...member, type: event.target.value as ValueType })}
        >
          {Object.entries(TYPE_LABELS).map(([name, text]) => (
            <option key={name} value={name}>
              {text}
            </option>
          ))}
        </select>
        <ValueField
          label={`${title}: value`}
          member={member}
          onChange={(text) => onChange({ ...member, text })}
        />
        <button
          type="button"
          className="button quiet"
          aria-label={`Remove ${noun} ${number}`}
          onClick={onRemove}
        >
          <Icon name="cross" />
        </button>
      </div>
      {(type === "object" || type === "array") && (
        <fieldset className="field pairs nested">
          <legend className="visually-hidden">{title}</legend>
          <MemberRows
            members={member.members}
            onChange={(members) => onChange({ ...member, members })}
            noun={noun}
            number={number}
            isList={type === "array"}
          />
        </fieldset>
      )}
    </>
  );
}

interface NameFieldProps {
  label: string;
  value: string;
  list: string | undefined;
  choices: NameChoices | undefined;
  onChange: (name: string) => void;
}

function NameField({ label, value, list, choices, onChange }: NameFieldProps) {
  if (!choices) {
    return (
      <input
        aria-label={label}
        placeholder="name"
        value={value}
        list={list}
        spellCheck={false}
        required
        onChange={(event) => onChange(event.target.value)}
      />
    );
  }
  const isListed = choices.some(([name]) => name === value);
  return (
    <select aria-label={label} value={value} onChange={(event) => onChange(event.target.value)}>
      {!isListed && <option value={value}>{value}</option>}
      {choices.map(([name, text]) => (
        <option key={name} value={name}>
          {text}
        </option>
      ))}
    </select>
  );
}

interface ValueFieldProps {
  label: string;
  member: MemberDraft;
  onChange: (text: string) => void;
}

function ValueField({ label, member: { type, text }, onChange }: ValueFieldProps) {
  const shared = { "aria-label": label, placeholder: "value", value: text };
  if (type === "string") {
    return (
      <textarea
        {...shared}
        rows={Math.min(6, text.split("\n").length)}
        spellCheck={false}
        onChange={(event) => onChange(event.target.value)}
      />
    );
  }
  if (type === "number") {
    return (
      <input
        {...shared}
        type="number"
        step="any"
        onChange={(event) => onChange(event.target.value)}
      />
    );
  }
  if (type !== "boolean") return <span />;
  return (
    <select
      aria-label={label}
      value={String(text === "true")}
      onChange={(event) => onChange(event.target.value)}
    >
      <option value="true">yes</option>
      <option value="false">no</option>
    </select>
  );
}
