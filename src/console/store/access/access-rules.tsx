/** Who may install what: the rules of a gateway's Store, what holds without one, and what comes of them. */
import { useState } from "react";
import type { AccessRule } from "../../../contract/store-access.ts";
import { call } from "../../api.ts";
import { accessRules } from "../../endpoints.ts";
import { useSession } from "../../session.ts";
import { Timestamp } from "../../ui/badge.tsx";
import { Icon } from "../../ui/icon.tsx";
import { List } from "../../ui/list.tsx";
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
      title: "Remove this rule?",
      body: (
        <p>
          The rule that gives {describeSubject(rule)} the level {rule.level} for{" "}
          {describeTarget(rule)} goes. Other rules, or the level that holds without one, count from
          the next call on.
        </p>
      ),
      button: "Remove rule",
      run: async () => {
        const params = { gateway_id, access_rule_id: rule.id };
        await call(accessRules.remove, { params, version: rule.version });
        announce("The rule was removed.");
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
        columns={may("write") ? [...COLUMNS, acts(remove)] : COLUMNS}
        empty={<p>There is no rule yet: everybody has the level below.</p>}
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
  { head: "Who", sort: "subject", rowHeader: true, cell: describeSubject },
  { head: "What", sort: "target", cell: describeTarget },
  { head: "Level", sort: "level", cell: ({ level }) => <AccessLevelBadge level={level} /> },
  { head: "Changed", sort: "updated_at", cell: ({ updated_at }) => <Timestamp at={updated_at} /> },
];

const acts = (remove: (rule: AccessRule) => void): Column<AccessRule> => ({
  head: "Actions",
  cell: (rule) => (
    <button type="button" className="button small" onClick={() => remove(rule)}>
      Remove
      <span className="visually-hidden">
        {" "}
        the rule for {describeSubject(rule)} and {describeTarget(rule)}
      </span>
    </button>
  ),
});
