/** Which level has a person for a server, and which rule decides it? */
import { useState } from "react";
import type { AccessExplained } from "../../../contract/store-access.ts";
import { call } from "../../api.ts";
import { accessRules } from "../../endpoints.ts";
import { TextField } from "../../ui/field.tsx";
import { findProblem, Section } from "../../ui/form.tsx";
import { Failure } from "../../ui/page.tsx";
import { splitNames } from "../../ui/split-names.ts";
import { useAction } from "../../use-load.ts";
import { AccessLevelBadge, describeSubject, describeTarget } from "./describe-access.tsx";

interface Told extends AccessExplained {
  principal_sub: string;
  code: string;
}

export function ExplainAccess({ gateway_id }: { gateway_id: string }) {
  const [principal_sub, setPrincipal] = useState("");
  const [groups, setGroups] = useState("");
  const [code, setCode] = useState("");
  const [told, setTold] = useState<Told>();
  const explain = useAction(async () => {
    setTold(undefined);
    const named = splitNames(groups);
    const body = { principal_sub, code, ...(named.length > 0 ? { groups: named } : {}) };
    const answer = await call(accessRules.explain, { params: { gateway_id }, body });
    setTold({ ...answer, principal_sub, code });
  });
  const { error } = explain;
  // The only thing that can be missing is the server.
  const unknown = error?.code === "not_found" ? error.message : undefined;
  return (
    <Section title="Explain" about="Which level a person has for a server, and why.">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void explain.run();
        }}
      >
        <div className="columns">
          <TextField
            label="Person"
            required
            value={principal_sub}
            onChange={setPrincipal}
            problem={findProblem(error, "principal_sub")}
          />
          <TextField
            label="Groups (optional)"
            placeholder="those last seen"
            hint="Separated by commas."
            value={groups}
            onChange={setGroups}
            problem={findProblem(error, "groups")}
          />
          <TextField
            label="Server"
            required
            placeholder="com.github/mcp"
            value={code}
            onChange={setCode}
            problem={unknown ?? findProblem(error, "code")}
          />
        </div>
        <Failure title="This could not be explained." error={unknown ? undefined : error} />
        <div className="form-end">
          <button type="submit" className="button" disabled={explain.busy}>
            Explain
          </button>
        </div>
      </form>
      <div role="status" className="explanation">
        {told && <Explanation told={told} />}
      </div>
    </Section>
  );
}

function Explanation({ told }: { told: Told }) {
  const { level, decided_by, matched, default_level, groups } = told;
  return (
    <>
      <p>
        {told.principal_sub} has the level <AccessLevelBadge level={level} /> for{" "}
        <code>{told.code}</code>:{" "}
        {decided_by
          ? `by the rule for ${describeSubject(decided_by)} and ${describeTarget(decided_by)}.`
          : `no rule matches, and without one the level is ${default_level}.`}
      </p>
      <p className="hint">
        {groups.length > 0 ? `Groups that counted: ${groups.join(", ")}.` : "No groups counted."}
      </p>
      {matched.length > 1 && (
        <>
          <h3>All rules that match, the weightiest first</h3>
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
