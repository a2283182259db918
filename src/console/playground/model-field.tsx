/** Field for a model, with the models of the consumer as suggestions. */
import { useId } from "react";
import { Field } from "../ui/fields/field.tsx";

interface ModelFieldProps {
  value: string;
  models: readonly string[];
  onChange: (model: string) => void;
}

export function ModelField({ value, models, onChange }: ModelFieldProps) {
  const list = useId();
  return (
    <Field label="Model" hint={models.length === 0 ? "No list: type the name." : undefined}>
      {(attributes) => (
        <>
          <input
            {...attributes}
            value={value}
            list={list}
            spellCheck={false}
            onChange={(event) => onChange(event.target.value)}
          />
          <datalist id={list}>
            {models.map((model) => (
              <option key={model} value={model} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}

/** Returns the first model whose name fits, such as an image model for images. */
export const pickModel = (models: readonly string[], fits: RegExp): string =>
  models.find((model) => fits.test(model)) ?? "";
