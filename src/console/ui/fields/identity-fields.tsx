/** Name and slug of a resource. */
import { TextField } from "./field.tsx";

interface IdentityFieldsProps {
  form: {
    stored: object | undefined;
    draft: { name: string; slug: string };
    change: (changes: { name?: string; slug?: string }) => void;
    problem: (field: string) => string | undefined;
  };
  /** Purpose of the slug. */
  slugHint: string;
}

export function IdentityFields({ form, slugHint }: IdentityFieldsProps) {
  const { stored, draft, change, problem } = form;
  return (
    <>
      <TextField
        label="Name"
        required
        value={draft.name}
        onChange={(name) => change({ name })}
        problem={problem("name")}
      />
      <TextField
        label={stored ? "Slug" : "Slug (optional)"}
        value={draft.slug}
        onChange={(slug) => change({ slug })}
        problem={problem("slug")}
        hint={`${slugHint} Generated if empty.`}
      />
    </>
  );
}
