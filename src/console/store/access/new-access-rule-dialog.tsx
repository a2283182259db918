/** Adds an access rule: who, what, and which level. */
import { useState } from "react";
import type { AccessLevel, AccessRule } from "../../../contract/store-access.ts";
import { call } from "../../api.ts";
import { accessRules } from "../../endpoints.ts";
import { useSession } from "../../session.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { Form, findProblem } from "../../ui/form.tsx";
import { useAction } from "../../use-load.ts";
import { LEVEL_OPTIONS } from "./describe-access.tsx";

const SUBJECTS: Record<AccessRule["subject_type"], string> = {
  everyone: "Everyone",
  group: "A group",
  user: "One person",
};
const TARGETS: Record<AccessRule["target_type"], string> = {
  all: "All servers",
  category: "A category",
  code: "One server",
};

interface NewAccessRuleDialogProps {
  gateway_id: string;
  onClose: () => void;
}

export function NewAccessRuleDialog({ gateway_id, onClose }: NewAccessRuleDialogProps) {
  const { announce } = useSession();
  const [subject_type, setSubjectType] = useState<AccessRule["subject_type"]>("everyone");
  const [subject, setSubject] = useState("");
  const [target_type, setTargetType] = useState<AccessRule["target_type"]>("all");
  const [target, setTarget] = useState("");
  const [level, setLevel] = useState<AccessLevel>("request");
  const save = useAction(async () => {
    await call(accessRules.create, {
      params: { gateway_id },
      body: {
        subject_type,
        ...(subject_type === "everyone" ? {} : { subject }),
        target_type,
        ...(target_type === "all" ? {} : { target }),
        level,
      },
    });
    onClose();
    announce("The rule was added.");
  });
  return (
    <Dialog title="New access rule" onClose={onClose}>
      <Form action={save} save="Add rule" onCancel={onClose}>
        <SelectField
          label="Who"
          value={subject_type}
          options={Object.entries(SUBJECTS)}
          // The options are the kinds of subject.
          onChange={(value) => setSubjectType(value as AccessRule["subject_type"])}
        />
        {subject_type !== "everyone" && (
          <TextField
            label={subject_type === "group" ? "Group" : "Person"}
            hint={
              subject_type === "group"
                ? "As the identity provider names it."
                : "The subject that the identity provider gives them."
            }
            required
            value={subject}
            onChange={setSubject}
            problem={findProblem(save.error, "subject")}
          />
        )}
        <SelectField
          label="What"
          value={target_type}
          options={Object.entries(TARGETS)}
          // The options are the kinds of target.
          onChange={(value) => setTargetType(value as AccessRule["target_type"])}
        />
        {target_type !== "all" && (
          <TextField
            label={target_type === "code" ? "Code of the server" : "Category"}
            hint="As the catalog shows it."
            required
            value={target}
            onChange={setTarget}
            problem={findProblem(save.error, "target")}
          />
        )}
        <SelectField
          label="Level"
          value={level}
          options={LEVEL_OPTIONS}
          // The options are the levels.
          onChange={(value) => setLevel(value as AccessLevel)}
        />
      </Form>
    </Dialog>
  );
}
