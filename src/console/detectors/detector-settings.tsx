/** Fields for the settings of a detector: dedicated ones for common kinds, and fields of the schema for the rest. */
import type { ReactNode } from "react";
import type { AppError } from "../../contract/errors.ts";
import { MoreFields } from "../ui/fields/more-fields.tsx";
import type { Schema, SchemaDraft } from "../ui/fields/schema-draft.ts";
import { type Choices, SchemaFields } from "../ui/fields/schema-fields.tsx";
import { findProblemsBelow } from "../ui/find-problem.ts";
import { EntityFields } from "./entity-fields.tsx";
import { KindChecklist } from "./kind-checklist.tsx";
import { LevelField } from "./level-field.tsx";
import { WordsFields } from "./words-fields.tsx";

export interface SettingsFieldsProps {
  kind: string;
  schema: Schema;
  draft: SchemaDraft;
  onChange: (draft: SchemaDraft) => void;
  /** Returns the server's message about a setting and everything below it. */
  problem: (name: string) => string | undefined;
}

interface SettingsForm {
  /** Dedicated fields, and the settings that they edit. */
  Fields?: (props: SettingsFieldsProps) => ReactNode;
  edits?: readonly string[];
  /** Settings that few detectors need. */
  advanced?: readonly string[];
}

const LEVEL: SettingsForm = { Fields: LevelField, edits: ["level", "threshold"] };

const FORMS: Record<string, SettingsForm | undefined> = {
  prompt_guard: LEVEL,
  indirect_prompt_injection: LEVEL,
  toxicity: LEVEL,
  topics: LEVEL,
  system_prompt_leak: LEVEL,
  multi_turn_risk: { ...LEVEL, advanced: ["kinds", "min_score", "half_life_s"] },
  data_loss_prevention: {
    Fields: EntityFields,
    edits: ["apply_all", "predefined_entities"],
    advanced: ["min_confidence"],
  },
  secrets: { advanced: ["disabled_formats", "min_entropy", "mask_with", "preserve_len"] },
  prompt_moderation: {
    Fields: WordsFields,
    edits: ["keywords"],
    advanced: ["regex", "ignore_case", "similarity_threshold", "leetspeak", "mask_with"],
  },
  injection_protection: {
    Fields: (props) => (
      <KindChecklist
        {...props}
        property="predefined_injections"
        member="type"
        label="Injections to detect"
      />
    ),
    edits: ["predefined_injections"],
    advanced: ["custom_injections", "threshold"],
  },
  code_sanitation: {
    Fields: (props) => (
      <KindChecklist
        {...props}
        property="languages"
        member="language"
        label="Languages to detect"
      />
    ),
    edits: ["languages"],
    advanced: ["custom_patterns", "threshold"],
  },
  url_analyzer: { advanced: ["threshold"] },
  unicode: { advanced: ["threshold"] },
};

interface DetectorSettingsProps {
  kind: string;
  schema: Schema;
  draft: SchemaDraft;
  onChange: (draft: SchemaDraft) => void;
  error: AppError | undefined;
  /** Path of the settings in the request body. */
  at: string;
  choices?: Choices;
}

export function DetectorSettings(props: DetectorSettingsProps) {
  const { kind, schema, draft, onChange, error, at, choices = {} } = props;
  const { Fields, edits = [], advanced = [] } = FORMS[kind] ?? {};
  const shared = { draft, onChange, error, at, choices };
  const problem = (name: string) => findProblemsBelow(error, `${at}.${name}`);
  return (
    <>
      {Fields && <Fields {...{ kind, schema, draft, onChange, problem }} />}
      <SchemaFields
        {...shared}
        schema={pick(schema, (name) => !edits.includes(name) && !advanced.includes(name))}
      />
      {advanced.length > 0 && (
        <MoreFields
          key={kind}
          summary="Advanced settings"
          hasProblem={advanced.some((name) => problem(name) !== undefined)}
        >
          <SchemaFields {...shared} schema={pick(schema, (name) => advanced.includes(name))} />
        </MoreFields>
      )}
    </>
  );
}

/** Returns the schema with some of its properties. */
const pick = (schema: Schema, isPicked: (name: string) => boolean): Schema => ({
  ...schema,
  properties: Object.fromEntries(
    Object.entries(schema.properties ?? {}).filter(([name]) => isPicked(name)),
  ),
});
