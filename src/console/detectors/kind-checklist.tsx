/** Checkboxes for a list of kinds that settings enable one by one, such as injections or languages. */
import { CheckField } from "../ui/fields/field.tsx";
import type { SettingsFieldsProps } from "./detector-settings.tsx";
import { toEntityLabel } from "./entity-groups.ts";

interface KindChecklistProps extends SettingsFieldsProps {
  /** Property with the list. An empty list enables all kinds. */
  property: string;
  /** Member of an entry that names its kind. */
  member: string;
  label: string;
}

export function KindChecklist(props: KindChecklistProps) {
  const { schema, draft, onChange, property, member, label, problem } = props;
  const names = schema.properties?.[property]?.items?.properties?.[member]?.enum ?? [];
  const value = draft[property];
  const rows = typeof value === "object" && "rows" in value ? value.rows : [];
  const listed = rows.filter(({ enabled }) => enabled === true).map((row) => row[member]);
  const selected = rows.length === 0 ? names : names.filter((name) => listed.includes(name));
  const select = (next: readonly string[]) =>
    onChange({
      ...draft,
      [property]: { rows: next.map((name) => ({ [member]: name, enabled: true })) },
    });
  return (
    <fieldset className="field">
      <legend>{label}</legend>
      <div className="checklist">
        {names.map((name) => (
          <CheckField
            key={name}
            label={toEntityLabel(name)}
            checked={selected.includes(name)}
            // An empty list would enable all kinds.
            disabled={selected.length === 1 && selected[0] === name}
            onChange={(on) =>
              select(names.filter((other) => (other === name ? on : selected.includes(other))))
            }
          />
        ))}
      </div>
      {problem(property) && <p className="problem">{problem(property)}</p>}
    </fieldset>
  );
}
