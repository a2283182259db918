/** Access rules of the Store, the default level, and an explanation for one person. */
import { useState } from "react";
import type { AccessRule } from "../../../contract/store/access.ts";
import { call } from "../../api.ts";
import { accessRules } from "../../endpoints.ts";
import { useSession } from "../../session.ts";
import { Timestamp } from "../../ui/badge.tsx";
import { Icon } from "../../ui/icon.tsx";
import { List } from "../../ui/list.tsx";
import { RowMenu } from "../../ui/menu.tsx";
import type { Column } from "../../ui/table.tsx";
import { DefaultLevel } from "./default-level.tsx";
import { AccessLevelBadge, describeSubject, describeTarget } from "./describe-access.tsx";
import { ExplainAccess } from "./explain-access.tsx";
import { NewAccessRuleDialog } from "./new-access-rule-dialog.tsx";

export function AccessRules({ gateway_id }: { gateway_id: string }) {
  const { may, confirm, announce } = useSession();
  const [open, setOpen] = useState(false);
  const remove = (rule: AccessRule) =>
    confirm({
      title: "Delete this rule?",
      body: (
        <p>
          Deletes the rule that gives {describeSubject(rule)} the level {rule.level} for{" "}
          {describeTarget(rule)}. Other rules or the default level apply from the next call on.
        </p>
      ),
      button: "Delete rule",
      run: async () => {
        const params = { gateway_id, access_rule_id: rule.id };
        await call(accessRules.remove, { params, version: rule.version });
        announce("The rule was deleted.");
      },
    });
  return (
    <>
      <List
        caption="Access rules"
        what="The access rules"
        search="Search person, group or server"
        sorted="created_at"
        filters={
          may("write") && (
            <button type="button" className="button primary" onClick={() => setOpen(true)}>
              <Icon name="plus" /> New rule
            </button>
          )
        }
        load={(query, read) => read(accessRules.list, { params: { gateway_id }, query })}
        columns={may("write") ? [...COLUMNS, actionsColumn(remove)] : COLUMNS}
        empty={<p>No rules yet. The default level applies to everyone.</p>}
      />
      <div className="below">
        <DefaultLevel gateway_id={gateway_id} />
        <ExplainAccess gateway_id={gateway_id} />
      </div>
      {open && <NewAccessRuleDialog gateway_id={gateway_id} onClose={() => setOpen(false)} />}
    </>
  );
}

const COLUMNS: Column<AccessRule>[] = [
  { head: "Subject", sort: "subject", rowHeader: true, cell: describeSubject },
  { head: "Target", sort: "target", cell: describeTarget },
  { head: "Level", sort: "level", cell: ({ level }) => <AccessLevelBadge level={level} /> },
  { head: "Updated", sort: "updated_at", cell: ({ updated_at }) => <Timestamp at={updated_at} /> },
];

const actionsColumn = (remove: (rule: AccessRule) => void): Column<AccessRule> => ({
  head: "Actions",
  cell: (rule) => (
    <RowMenu
      of={`the rule for ${describeSubject(rule)} and ${describeTarget(rule)}`}
      items={[{ text: "Delete…", danger: true, onSelect: () => remove(rule) }]}
    />
  ),
});
