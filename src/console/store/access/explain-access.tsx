/** Explains which access level a person has for a server, and which rule decides. */
import { useState } from "react";
import type { AccessExplained } from "../../../contract/store/access.ts";
import { call } from "../../api.ts";
import { accessRules } from "../../endpoints.ts";
import { TextField } from "../../ui/fields/field.tsx";
import { findProblem } from "../../ui/find-problem.ts";
import { Section } from "../../ui/form.tsx";
import { Failure } from "../../ui/page.tsx";
import { splitNames } from "../../ui/text.ts";
import { useAction } from "../../use-action.ts";
import { PersonPicker, ServerPicker, useShownServers } from "./access-pickers.tsx";
import { AccessLevelBadge, describeSubject, describeTarget } from "./describe-access.tsx";

interface ExplainedAccess extends AccessExplained {
  principal_sub: string;
  code: string;
}

export function ExplainAccess({ gateway_id }: { gateway_id: string }) {
  const [principal_sub, setPrincipal] = useState("");
  const [groups, setGroups] = useState("");
  const [code, setCode] = useState("");
  const [explanation, setExplanation] = useState<ExplainedAccess>();
  const servers = useShownServers(gateway_id);
  const explain = useAction(async () => {
    setExplanation(undefined);
    const names = splitNames(groups);
    const body = { principal_sub, code, ...(names.length > 0 ? { groups: names } : {}) };
    const response = await call(accessRules.explain, { params: { gateway_id }, body });
    setExplanation({ ...response, principal_sub, code });
  });
  const { error } = explain;
  // Only the server can be missing.
  const unknownServer = error?.code === "not_found" ? error.message : undefined;
  return (
    <Section title="Explain" about="Shows which level a person has for a server, and why.">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void explain.run();
        }}
      >
        <div className="columns">
          <PersonPicker
            gateway_id={gateway_id}
            label="Person"
            required
            value={principal_sub}
            onChange={setPrincipal}
            problem={findProblem(error, "principal_sub")}
          />
          <TextField
            label="Groups (optional)"
            placeholder="groups of the last sign-in"
            hint="Separated by commas."
            value={groups}
            onChange={setGroups}
            problem={findProblem(error, "groups")}
          />
          <ServerPicker
            servers={servers}
            label="Server"
            required
            placeholder="com.github/mcp"
            value={code}
            onChange={setCode}
            problem={unknownServer ?? findProblem(error, "code")}
          />
        </div>
        <Failure title="The explanation failed." error={unknownServer ? undefined : error} />
        <div className="form-end">
          <button type="submit" className="button" disabled={explain.busy}>
            Explain
          </button>
        </div>
      </form>
      <div role="status" className="explanation">
        {explanation && <Result explanation={explanation} />}
      </div>
    </Section>
  );
}

function Result({ explanation }: { explanation: ExplainedAccess }) {
  const { principal_sub, code, level, decided_by, matched, default_level, groups } = explanation;
  return (
    <>
      <p>
        {principal_sub} has the level <AccessLevelBadge level={level} /> for <code>{code}</code>:{" "}
        {decided_by
          ? `the rule for ${describeSubject(decided_by)} and ${describeTarget(decided_by)} applies.`
          : `no rule matches, and the default level is ${default_level}.`}
      </p>
      <p className="hint">{groups.length > 0 ? `Groups: ${groups.join(", ")}.` : "No groups."}</p>
      {matched.length > 1 && (
        <>
          <h3>Matching rules, highest precedence first</h3>
          <ol className="entries">
            {matched.map((rule) => (
              <li key={rule.id}>
                <AccessLevelBadge level={rule.level} /> {describeSubject(rule)},{" "}
                {describeTarget(rule)}
              </li>
            ))}
          </ol>
        </>
      )}
    </>
  );
}
