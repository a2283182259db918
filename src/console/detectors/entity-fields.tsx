/** Kinds of personal data that a detector finds: the recommended ones, all, or those selected by group. */
import { CheckField } from "../ui/fields/field.tsx";
import { RadioField } from "../ui/fields/radio-field.tsx";
import type { SchemaDraft } from "../ui/fields/schema-draft.ts";
import type { SettingsFieldsProps } from "./detector-settings.tsx";
import { ENTITY_GROUPS, toEntityLabel } from "./entity-groups.ts";
import { EntityMasks } from "./entity-masks.tsx";

type Choice = "recommended" | "all" | "selected";

export function EntityFields({ draft, onChange, problem }: SettingsFieldsProps) {
  const rows = rowsOf(draft);
  const choice = choiceOf(draft);
  const selected = selectedNames(draft);
  const issue = problem("predefined_entities");
  /** Keeps the mask of a kind that stays selected. */
  const toRow = (entity: string): SchemaDraft => ({
    ...(rows.find((row) => row.entity === entity) ?? NEW_ROW),
    entity,
    enabled: true,
  });
  const setRows = (next: readonly SchemaDraft[]) =>
    onChange({ ...draft, apply_all: "false", predefined_entities: { rows: next } });
  const select = (names: readonly string[]) => setRows(names.map(toRow));
  const choose = (next: Choice) => {
    if (next === "selected") return select(selected);
    onChange({
      ...draft,
      apply_all: next === "all" ? "true" : "",
      predefined_entities: { rows: [] },
    });
  };
  return (
    <>
      <RadioField
        label="What to detect"
        value={choice}
        options={[
          {
            value: "recommended",
            label: "Recommended",
            hint: "Contact, payment, credentials and the identity numbers of all regions.",
          },
          {
            value: "all",
            label: "Everything",
            hint: "Also IP and MAC addresses, UUIDs and ISINs, which are common in technical text.",
          },
          { value: "selected", label: "Selected kinds", hint: "Also names of people and places." },
        ]}
        onChange={choose}
      />
      {choice === "selected" && (
        <div className="entity-groups">
          {ENTITY_GROUPS.map((group) => (
            <Group
              key={group.title}
              title={group.title}
              names={group.names}
              selected={selected}
              onChange={select}
            />
          ))}
        </div>
      )}
      {choice === "selected" && selected.length > 0 && (
        <EntityMasks rows={selected.map(toRow)} onChange={setRows} />
      )}
      {issue && (
        <p className="problem">
          {issue.replace(
            /\[(\d+)\]\.\w+/g,
            (_, index) => `Mask for ${toEntityLabel(String(rows[index]?.entity))}`,
          )}
        </p>
      )}
    </>
  );
}

interface GroupProps {
  title: string;
  names: readonly string[];
  selected: readonly string[];
  onChange: (selected: readonly string[]) => void;
}

function Group({ title, names, selected, onChange }: GroupProps) {
  const count = names.filter((name) => selected.includes(name)).length;
  const others = selected.filter((name) => !names.includes(name));
  return (
    <details>
      <summary>
        {title}{" "}
        <span className="muted">
          {count} of {names.length}
        </span>
      </summary>
      <div className="row tight">
        <button
          type="button"
          className="button small"
          onClick={() => onChange([...others, ...names])}
        >
          Select all<span className="visually-hidden"> of {title}</span>
        </button>
        <button type="button" className="button small" onClick={() => onChange(others)}>
          Select none<span className="visually-hidden"> of {title}</span>
        </button>
      </div>
      <fieldset className="plain checklist">
        <legend className="visually-hidden">{title}</legend>
        {names.map((name) => (
          <CheckField
            key={name}
            label={toEntityLabel(name)}
            checked={selected.includes(name)}
            onChange={(on) =>
              onChange(on ? [...selected, name] : selected.filter((other) => other !== name))
            }
          />
        ))}
      </fieldset>
    </details>
  );
}

const NEW_ROW: SchemaDraft = { mask_with: "", preserve_len: false };

function rowsOf({ predefined_entities: value }: SchemaDraft): readonly SchemaDraft[] {
  return typeof value === "object" && "rows" in value ? value.rows : [];
}

function choiceOf(draft: SchemaDraft): Choice {
  if (rowsOf(draft).length > 0 || draft.apply_all === "false") return "selected";
  return draft.apply_all === "true" ? "all" : "recommended";
}

/** Returns the kinds that the settings detect, as the detector computes them. */
function selectedNames(draft: SchemaDraft): string[] {
  const rows = rowsOf(draft);
  const names = (on: boolean) =>
    rows.filter(({ enabled }) => enabled === on).map(({ entity }) => String(entity));
  const [enabled, disabled] = [names(true), names(false)];
  if (draft.apply_all === "false" || (draft.apply_all !== "true" && enabled.length > 0)) {
    return enabled;
  }
  const groups = ENTITY_GROUPS.filter(
    ({ isDefault, names: [first] }) =>
      isDefault || (draft.apply_all === "true" && first !== "person_name"),
  );
  const found = groups.flatMap((group) => group.names);
  return [...new Set([...found, ...enabled])].filter((name) => !disabled.includes(name));
}
