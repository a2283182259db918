/** Dialog for a new access rule: subject, target and level. */
import { useState } from "react";
import type { AccessLevel, AccessRule } from "../../../contract/store/access.ts";
import type { CatalogEntry } from "../../../contract/store/catalog.ts";
import { call } from "../../api.ts";
import { accessRules } from "../../endpoints.ts";
import { useSession } from "../../session.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { SelectField } from "../../ui/fields/field.tsx";
import { SuggestField } from "../../ui/fields/suggest-field.tsx";
import { findProblem } from "../../ui/find-problem.ts";
import { Form } from "../../ui/form.tsx";
import { useAction } from "../../use-action.ts";
import {
  countPeople,
  describeMatches,
  PersonPicker,
  ServerPicker,
  useGroups,
  useShownServers,
} from "./access-pickers.tsx";
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
  const groups = useGroups(gateway_id);
  const servers = useShownServers(gateway_id);
  const categories = countCategories(servers ?? []);
  const isTargetChosen = target_type === "all" || target !== "";
  const matched = (servers ?? []).filter(
    (server) => target_type === "all" || server[target_type] === target,
  );
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
          onChange={(value) => {
            setSubjectType(value as AccessRule["subject_type"]);
            setSubject("");
          }}
        />
        {subject_type === "group" && (
          <SuggestField
            label="Group"
            hint="Name of the group in the identity provider."
            required
            value={subject}
            onChange={setSubject}
            suggestions={groups.map(({ name, people }) => ({
              value: name,
              label: countPeople(people),
            }))}
            problem={findProblem(save.error, "subject")}
          />
        )}
        {subject_type === "user" && (
          <PersonPicker
            gateway_id={gateway_id}
            label="Person"
            hint="Subject of the person in the identity provider."
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
          onChange={(value) => {
            setTargetType(value as AccessRule["target_type"]);
            setTarget("");
          }}
        />
        {target_type === "category" && (
          <SelectField
            label="Category"
            required
            value={target}
            options={[["", "Choose a category"], ...categories]}
            onChange={setTarget}
            problem={findProblem(save.error, "target")}
          />
        )}
        {target_type === "code" && (
          <ServerPicker
            label="Server"
            hint="Code of the server."
            required
            servers={servers}
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
        <p role="status" className="hint">
          {subject_type === "group" && subject && describeGroup(subject, groups)}{" "}
          {servers && isTargetChosen && describeMatches(matched)}
        </p>
      </Form>
    </Dialog>
  );
}

function describeGroup(subject: string, groups: ReturnType<typeof useGroups>): string {
  const people = groups.find(({ name }) => name === subject)?.people ?? 0;
  return people === 0
    ? "No known person is in this group yet."
    : `${countPeople(people)} in this group.`;
}

function countCategories(servers: readonly CatalogEntry[]): [string, string][] {
  const byCategory = Map.groupBy(servers, ({ category }) => category);
  return [...byCategory]
    .map(([name, { length }]): [string, string] => [name, `${name} (${length})`])
    .sort(([one], [other]) => (one < other ? -1 : 1));
}
