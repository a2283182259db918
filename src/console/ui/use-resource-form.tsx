/** Edits one resource: a draft of its fields, saved with If-Match, and the server's errors by field. */
import { type ReactNode, useState } from "react";
import type { AppError } from "../../contract/errors.ts";
import { events } from "../api.ts";
import { navigate } from "../router.tsx";
import { useSession } from "../session.ts";
import { type ActionState, useAction } from "../use-action.ts";
import { useUnsavedChanges } from "../use-unsaved-changes.ts";
import { findProblem } from "./find-problem.ts";
import { Form } from "./form.tsx";
import { capitalize } from "./text.ts";

export interface NamedResource {
  id: string;
  name: string;
  version: number;
}

interface ResourceFormOptions<Stored extends NamedResource, Draft> {
  /** In the middle of a sentence: "registry". */
  noun: string;
  /** As last loaded. Undefined: a new resource. */
  loaded: Stored | undefined;
  /** `last` is the draft before a save or reload. */
  toDraft: (stored: Stored | undefined, last?: Draft) => Draft;
  /** Creates the resource, or updates the version that the draft is based on. */
  save: (draft: Draft, stored: Stored | undefined) => Promise<Stored>;
  /** Target of Cancel, and of the first save unless `createdPath` returns another. */
  listPath?: string;
  createdPath?: (created: Stored) => string;
  /** Follows the message after the first save: "It needs a key next." */
  nextStep?: string;
  savedText?: (saved: Stored) => string;
  /** For a dialog: runs on Cancel, and after a save. */
  onClose?: () => void;
  /** Returns false for links that keep the draft. */
  discards?: (to: URL) => boolean;
}

interface FormState {
  noun: string;
  /** The version that the next save replaces. Undefined: not created yet. */
  stored: NamedResource | undefined;
  action: ActionState<[]>;
  cancel: (() => void) | undefined;
  /** Discards the draft and loads the stored version. */
  reload: () => void;
  /** Counts the reloads. */
  generation: number;
  /** The draft differs from the stored version. */
  isDirty: boolean;
}

interface ResourceFormState<Stored extends NamedResource, Draft> extends FormState {
  stored: Stored | undefined;
  draft: Draft;
  change: (changes: Partial<Draft>) => void;
  error: AppError | undefined;
  /** Returns the server's message about a field. */
  problem: (field: string) => string | undefined;
  /** Discards the draft and continues with this version. */
  adopt: (stored: Stored) => void;
}

export function useResourceForm<Stored extends NamedResource, Draft extends object>(
  options: ResourceFormOptions<Stored, Draft>,
): ResourceFormState<Stored, Draft> {
  const { noun, loaded, toDraft, listPath, onClose } = options;
  const { announce } = useSession();
  const [stored, setStored] = useState(loaded);
  const [initial, setInitial] = useState(() => toDraft(loaded));
  const [draft, setDraft] = useState(initial);
  const isDirty = draft !== initial && JSON.stringify(draft) !== JSON.stringify(initial);
  const [reloading, setReloading] = useState(false);
  const [generation, setGeneration] = useState(0);
  const adopt = (next: Stored) => {
    const nextDraft = toDraft(next, draft);
    setStored(next);
    setInitial(nextDraft);
    setDraft(nextDraft);
  };
  const action = useAction(async () => {
    const saved = await options.save(draft, stored);
    if (onClose) onClose();
    else if (stored) adopt(saved);
    else navigate(options.createdPath?.(saved) ?? listPath ?? "/");
    const created = `${capitalize(noun)} ${saved.name} was created.`;
    if (stored) announce(options.savedText?.(saved) ?? "Saved.");
    else announce(options.nextStep ? `${created} ${options.nextStep}` : created);
  });
  useUnsavedChanges(isDirty && !action.busy, options.discards);
  if (reloading && loaded && loaded.version !== stored?.version) {
    setReloading(false);
    setGeneration(generation + 1);
    adopt(loaded);
    action.clearError();
  }
  return {
    noun,
    stored,
    draft,
    isDirty,
    action,
    error: action.error,
    adopt,
    generation,
    cancel: onClose ?? (listPath && !stored ? () => navigate(listPath) : undefined),
    change: (changes) => setDraft((last) => ({ ...last, ...changes })),
    problem: (field) => findProblem(action.error, field),
    reload: () => {
      onClose?.();
      setReloading(true);
      events.dispatchEvent(new Event("changed"));
    },
  };
}

interface ResourceFormProps {
  form: FormState;
  /** Label of the save button; by default "Save" or "Create registry". */
  save?: string;
  extra?: ReactNode;
  children: ReactNode;
}

export function ResourceForm({ form, save, extra, children }: ResourceFormProps) {
  const { may } = useSession();
  return (
    // A reload also resets the state of the fields.
    <Form
      key={form.generation}
      action={form.action}
      save={save ?? (form.stored ? "Save" : `Create ${form.noun}`)}
      readOnly={!may("write")}
      unchanged={form.stored !== undefined && !form.isDirty}
      onCancel={form.cancel}
      onReload={form.reload}
      extra={extra}
      warnsUnsaved={false}
    >
      {children}
    </Form>
  );
}
