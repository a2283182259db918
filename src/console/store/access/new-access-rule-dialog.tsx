/** Dialog for a new access rule: subject, target and level. */
import { useState } from "react";
import type { AccessLevel, AccessRule } from "../../../contract/store/access.ts";
import { call } from "../../api.ts";
import { accessRules } from "../../endpoints.ts";
import { useSession } from "../../session.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { findProblem } from "../../ui/find-problem.ts";
import { Form } from "../../ui/form.tsx";
import { useAction } from "../../use-action.ts";
import { LEVEL_OPTIONS } from "./describe-access.tsx";

const SUBJECTS: Record<AccessRule["subject_type"], string> = {
  everyone: "Everyone",
  group: "Group",
  user: "Person",
};
const TARGETS: Record<AccessRule["target_type"], string> = {
  all: "All servers",
  category: "Category",
  code: "Server",
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
    announce("The rule was created.");
  });
  return (
    <Dialog title="New access rule" onClose={onClose}>
      <Form action={save} save="Create rule" onCancel={onClose}>
        <SelectField
          label="Subject"
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
                ? "Name of the group in the identity provider."
                : "Subject of the person in the identity provider."
            }
            required
            value={subject}
            onChange={setSubject}
            problem={findProblem(save.error, "subject")}
          />
        )}
        <SelectField
          label="Target"
          value={target_type}
          options={Object.entries(TARGETS)}
          // The options are the kinds of target.
          onChange={(value) => setTargetType(value as AccessRule["target_type"])}
        />
        {target_type !== "all" && (
          <TextField
            label={target_type === "code" ? "Server code" : "Category"}
            hint="As shown in the catalog."
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
