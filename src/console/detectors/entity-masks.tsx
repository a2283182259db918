/** Replacement texts of single kinds of personal data. */
import { useState } from "react";
import { CheckField, SelectField, TextField } from "../ui/fields/field.tsx";
import type { SchemaDraft } from "../ui/fields/schema-draft.ts";
import { toEntityLabel } from "./entity-groups.ts";

interface EntityMasksProps {
  /** Entries of the selected kinds. */
  rows: readonly SchemaDraft[];
  onChange: (rows: readonly SchemaDraft[]) => void;
}

export function EntityMasks({ rows, onChange }: EntityMasksProps) {
  // A mask stays on the screen while its text is empty.
  const [added, setAdded] = useState<readonly string[]>([]);
  const isShown = ({ entity, mask_with, preserve_len }: SchemaDraft) =>
    mask_with !== "" || preserve_len === true || added.includes(String(entity));
  const change = (row: SchemaDraft, changes: SchemaDraft) =>
    onChange(rows.map((old) => (old === row ? { ...row, ...changes } : old)));
  return (
    <>
      {rows.filter(isShown).map((row) => {
        const label = toEntityLabel(String(row.entity));
        return (
          <div className="columns" key={String(row.entity)}>
            <TextField
              label={`Mask for ${label}`}
              placeholder={row.preserve_len ? "*" : "a label such as [MASKED_EMAIL]"}
              value={String(row.mask_with ?? "")}
              onChange={(mask_with) => change(row, { mask_with })}
            />
            <CheckField
              label="Keep the length"
              checked={row.preserve_len === true}
              onChange={(preserve_len) => change(row, { preserve_len })}
            />
          </div>
        );
      })}
      <SelectField
        label="Mask with another text"
        hint="By default, a value is replaced by a label such as [MASKED_EMAIL]."
        value=""
        options={[
          ["", "Select a kind…"],
          ...rows
            .filter((row) => !isShown(row))
            .map(({ entity }) => [String(entity), toEntityLabel(String(entity))] as const),
        ]}
        onChange={(entity) => entity && setAdded([...added, entity])}
      />
    </>
  );
}
